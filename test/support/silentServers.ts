/**
 * Hostile mail servers on loopback addresses, and the DNS that leads to them. Each name under a wildcard has its own mail
 * exchanger.
 *
 * @module
 */
import { Effect } from "effect"
import { createServer, type Socket } from "node:net"
import type { Dns } from "../../core/ports/Dns.ts"
import { DnsMissing } from "../../core/ports/Dns.ts"

/**
 * How a server behaves. Given a stage, it sends nothing from that stage on. `drips` sends each reply at one byte per second,
 * `endless` sends replies whose lines never end, and `accepts` accepts every message.
 */
export type Behaviour =
  /** The reply to RCPT. */
  | { readonly rcpt: string }
  | "accepts"
  | "connect"
  | "ehlo"
  | "mail"
  | "rcpt"
  | "data"
  | "message"
  | "drips"
  | "endless"

/** Running servers: one listener for every loopback address. */
export interface SilentServers {
  readonly port: number
  /** Sets the behaviour of the server at a loopback address; `data` by default. */
  readonly behave: (address: string, behaviour: Behaviour) => void
  /** The recipients of accepted messages, in order, with the time of acceptance. */
  readonly accepted: () => ReadonlyArray<{ readonly recipient: string; readonly at: number }>
  /** The number of open connections to an address, or to all. */
  readonly open: (address?: string) => number
  /** The most connections to an address that were open at the same time. */
  readonly peak: (address: string) => number
  /** The number of messages received completely, whether or not accepted. */
  readonly received: () => number
  /** Sends a reply on all connections, such as the missing reply to a message. */
  readonly answerAll: (reply: string) => void
  readonly stop: () => Promise<void>
}

/** Starts the servers. */
export const startSilentServers = async (): Promise<SilentServers> => {
  const behaviours = new Map<string, Behaviour>()
  const accepted: Array<{ recipient: string; at: number }> = []
  const sockets = new Map<Socket, string>()
  const peaks = new Map<string, number>()
  let received = 0

  const openAt = (address?: string) =>
    [...sockets.values()].filter((at) => address === undefined || at === address).length

  const serve = (socket: Socket) => {
    if (!(socket.remoteAddress ?? "").replace("::ffff:", "").startsWith("127.")) {
      socket.destroy()
      return
    }
    const address = (socket.localAddress ?? "").replace("::ffff:", "")
    const behaviour = behaviours.get(address) ?? "data"
    sockets.set(socket, address)
    peaks.set(address, Math.max(peaks.get(address) ?? 0, openAt(address)))
    const timers: Array<NodeJS.Timeout> = []
    socket.on("error", () => socket.destroy())
    socket.on("close", () => {
      for (const timer of timers) clearInterval(timer)
      sockets.delete(socket)
    })
    const say = (line: string) => {
      if (behaviour === "drips") {
        let at = 0
        timers.push(setInterval(() => at < line.length && socket.write(line[at++]!), 1000))
      } else if (behaviour === "endless") {
        timers.push(setInterval(() => socket.write(`${line.slice(0, 3)}-${"x".repeat(60)}\r\n`), 200))
      } else socket.write(`${line}\r\n`)
    }
    const stages: ReadonlyArray<readonly [Behaviour, RegExp, string]> = [
      ["ehlo", /^EHLO/i, "250 silent"],
      ["mail", /^MAIL/i, "250 2.1.0 Ok"],
      ["rcpt", /^RCPT/i, "250 2.1.5 Ok"],
      ["data", /^DATA/i, "354 go ahead"],
      ["mail", /^RSET/i, "250 2.0.0 Ok"],
      ["connect", /^QUIT/i, "221 2.0.0 Bye"]
    ]
    let input = ""
    let inMessage = false
    let recipient = ""
    socket.on("data", (chunk) => {
      input += chunk.toString("latin1")
      for (;;) {
        if (inMessage) {
          const end = input.indexOf("\r\n.\r\n")
          if (end === -1) return
          input = input.slice(end + 5)
          inMessage = false
          received++
          // `data` accepts the command and then sends nothing, like `message`.
          if (behaviour !== "accepts") continue
          accepted.push({ recipient, at: Date.now() })
          say("250 2.0.0 Ok")
          continue
        }
        const end = input.indexOf("\r\n")
        if (end === -1) return
        const line = input.slice(0, end)
        input = input.slice(end + 2)
        const stage = stages.find(([, command]) => command.test(line))
        if (stage === undefined) continue
        const now = behaviours.get(address)
        if (stage[0] === "rcpt" && typeof now === "object") {
          say(now.rcpt)
          continue
        }
        if (stage[0] === "rcpt") recipient = /<(.*?)>/.exec(line)?.[1] ?? ""
        if (stage[0] === behaviour && behaviour !== "data") continue
        if (stage[0] === "data") inMessage = true
        say(stage[2])
        if (stage[0] === "connect") socket.end()
      }
    })
    if (behaviour !== "connect") say("220 silent ESMTP")
  }

  const server = createServer({ noDelay: true }, serve)
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve))
  const { port } = server.address() as { port: number }
  return {
    port,
    behave: (address, behaviour) => behaviours.set(address, behaviour),
    accepted: () => [...accepted],
    open: openAt,
    peak: (address) => peaks.get(address) ?? 0,
    received: () => received,
    answerAll: (reply) => {
      for (const socket of sockets.keys()) socket.write(`${reply}\r\n`)
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets.keys()) socket.destroy()
      })
  }
}

/** The loopback address for a number, never 127.0.0.x. */
export const loopbackAddress = (number: number): string =>
  `127.${1 + ((number >> 16) & 127)}.${(number >> 8) & 255}.${number & 255}`

/** DNS with records that can be published, and wildcards. */
export const makeWildcardDns = () => {
  const texts = new Map<string, Array<string>>()
  const exchanges = new Map<string, string>()
  const hosts = new Map<string, ReadonlyArray<string>>()
  const wildcards: Array<{ suffix: string; addressOf: (name: string) => string }> = []
  const missing = (name: string) => Effect.fail(new DnsMissing({ name }))
  const wildcardOf = (name: string) => wildcards.find(({ suffix }) => name.endsWith(suffix))
  const dns: Dns["Service"] = {
    txt: (name) => Effect.suspend(() => (texts.has(name) ? Effect.succeed(texts.get(name)!) : missing(name))),
    mx: (name) =>
      Effect.suspend(() => {
        const exchange = exchanges.get(name) ?? (wildcardOf(name) === undefined ? undefined : `mx.${name}`)
        return exchange === undefined ? missing(name) : Effect.succeed([{ preference: 10, exchange }])
      }),
    addresses: (name) =>
      Effect.suspend(() => {
        const found = hosts.get(name) ?? wildcardOf(name)?.addressOf(name)
        return found === undefined
          ? missing(name)
          : Effect.succeed(typeof found === "string" ? [found] : found)
      })
  }
  return {
    dns,
    /** Publishes the records of a domain in the form in which the management API lists them. */
    publish: (records: ReadonlyArray<{ type: string; name: string; value: string }>) => {
      for (const { name, type, value } of records) {
        if (type === "MX") exchanges.set(name, value.split(" ")[1]!)
        if (type === "TXT") texts.set(name, [...(texts.get(name) ?? []), value])
      }
    },
    /** Routes a domain's mail to hosts with these addresses. */
    set: (domain: string, ...addresses: ReadonlyArray<string>) => {
      exchanges.set(domain, `mx.${domain}`)
      hosts.set(`mx.${domain}`, addresses)
    },
    /** Routes the mail of every name under a suffix such as `.evil.test`; each name has a host with its own address. */
    wildcard: (suffix: string, addressOf: (name: string) => string) => wildcards.push({ suffix, addressOf })
  }
}
