/**
 * The servers of a simulated internet on loopback addresses, and the service's own SMTP client, which sends to them. Each
 * reaction of a server takes place on a connection.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { createHash, X509Certificate } from "node:crypto"
import { createServer, type Socket } from "node:net"
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls"
import * as Memory from "../../adapters/memory/index.ts"
import { selfSigned } from "../../adapters/smtp/Certificate.ts"
import * as Direct from "../../adapters/smtp/transport/Direct.ts"
import { limits } from "../../adapters/smtp/transport/Limits.ts"
import type { PublicEndpoint } from "../../core/kernel/PublicEndpoint.ts"
import { type Dns, DnsUnavailable } from "../../core/ports/Dns.ts"
import type { MailTransport } from "../../core/ports/MailTransport.ts"
import { SecureDns } from "../../core/ports/SecureDns.ts"
import { StsPolicyClient } from "../../core/ports/StsPolicyClient.ts"
import * as DomainSecurity from "../../core/sending/security/DomainSecurity.ts"
import type { SmtpStage } from "../../core/sending/shaping/SmtpReply.ts"
import type { Random } from "../contract/fixtures.ts"
import { decidesAt, domainOf, type Reaction, type Server, serverFor } from "./servers.ts"
import type { CourseOptions } from "./replies.ts"

/** Short, because silent servers take this long in real time. */
const shortLimits = {
  ...limits,
  openMillis: 2_000,
  commandMillis: 800,
  bodyMillis: 2_000,
  answerMillis: 5_000,
  resetMillis: 500,
  closeMillis: 100
}

/** The connections of a server. */
export interface Connections {
  made: number
  open: number
  /** The most open at the same time, and the most before it accepted anything. */
  peak: number
  unprovenPeak: number
}

/** The certificates of a server: the required one, and another one. */
interface Certificates {
  readonly right: SecureContext
  readonly wrong: SecureContext | null
  /** The SHA-256 of the public key of the required certificate. */
  readonly keyHash: string
}

/** What the sessions of all servers share. */
interface World extends Omit<CourseOptions, "servers"> {
  readonly random: Random
  readonly certificates: ReadonlyMap<Server, Certificates>
}

const addressOf = (angled: string): string => /<(.*?)>/.exec(angled)?.[1] ?? ""

/** A connection to a server. */
class Session {
  readonly #server: Server
  readonly #world: World
  #stream: Socket
  #input = ""
  #isSilent = false
  #security: "None" | "Wrong" | "Right" = "None"
  #reaction: Reaction = "Accept"
  #returnPath = ""
  #recipient = ""
  #isInMessage = false
  /** The stage of the message at which it loses the connection. */
  #losesAt: string | null = null

  constructor(server: Server, socket: Socket, world: World) {
    this.#server = server
    this.#world = world
    this.#stream = socket
    const early = decidesAt[server.kind] === "Connect" ? this.#react("") : "Accept"
    if (early === "Unreachable") {
      socket.resetAndDestroy()
      return
    }
    this.#read(socket)
    if (Array.isArray(early)) {
      this.#say(early[1])
      socket.end()
    } else this.#say("220 simulated ESMTP")
  }

  #read(stream: Socket): void {
    this.#stream = stream
    stream.on("error", () => stream.destroy())
    stream.on("data", (chunk: Buffer) => {
      this.#input += chunk.toString("latin1")
      this.#take()
    })
  }

  #say(reply: string): void {
    if (this.#stream.writable) this.#stream.write(`${reply}\r\n`, "latin1")
  }

  /** Its reaction, by what is known so far. */
  #react(subject: string): Reaction {
    const sender = domainOf(this.#returnPath).replace(/^bounces\./, "")
    return this.#server.react({ recipient: this.#recipient, sender, subject, at: this.#world.at() })
  }

  #decide(stage: SmtpStage): void {
    if ((decidesAt[this.#server.kind] ?? "Rcpt") !== stage) return
    const subject = stage === "Message" ? (/^Subject: (.*)$/m.exec(this.#input)?.[1] ?? "") : ""
    this.#reaction = this.#react(subject)
    if (this.#reaction === "Lost") this.#losesAt = this.#world.random.pick(["RCPT", "DATA", "MESSAGE"])
    if (this.#reaction === "Silent") this.#losesAt = this.#world.random.pick(["RCPT", "DATA"])
  }

  /** Sends a part of a reply that never ends, or lines of it without end, or nothing. */
  #drip(part: string): void {
    const timer = setInterval(() => this.#stream.writable && this.#stream.write(part), 100)
    this.#stream.once("close", () => clearInterval(timer))
  }

  /** Whether the connection ends or falls silent at a stage. */
  #ends(stage: string): boolean {
    if (this.#losesAt !== stage) return false
    if (this.#reaction === "Silent") {
      this.#isSilent = true
      this.#drip(this.#world.random.pick(["250", "250-x\r\n", ""]))
    } else this.#stream.destroy()
    return true
  }

  /** Replies with the reaction to a stage, or positively. */
  #reply(stage: SmtpStage, fine: string): boolean {
    const rejection = Array.isArray(this.#reaction) && this.#reaction[0] === stage ? this.#reaction[1] : null
    this.#say(rejection ?? fine)
    return rejection === null
  }

  #upgrade(): void {
    const { right, wrong } = this.#world.certificates.get(this.#server)!
    const isWrong = this.#server.isTroubled(this.#world.at())
    this.#say("220 2.0.0 Ready")
    this.#stream.removeAllListeners("data")
    this.#security = isWrong ? "Wrong" : "Right"
    const secured = new TLSSocket(this.#stream, {
      isServer: true,
      secureContext: isWrong ? wrong! : right
    })
    this.#input = ""
    this.#read(secured)
  }

  #offersTls(): boolean {
    const certificates = this.#world.certificates.get(this.#server)
    if (certificates === undefined || this.#security !== "None") return false
    return certificates.wrong !== null || !this.#server.isTroubled(this.#world.at())
  }

  #take(): void {
    while (!this.#isSilent && !this.#stream.destroyed) {
      if (this.#isInMessage) {
        if (this.#ends("MESSAGE")) return
        const end = this.#input.indexOf("\r\n.\r\n")
        if (end === -1) return
        this.#decide("Message")
        const raw = this.#input.slice(0, end)
        this.#input = this.#input.slice(end + 5)
        this.#isInMessage = false
        this.#message(raw)
        continue
      }
      const end = this.#input.indexOf("\r\n")
      if (end === -1) return
      const line = this.#input.slice(0, end)
      this.#input = this.#input.slice(end + 2)
      this.#command(line)
    }
  }

  #command(line: string): void {
    const [verb = ""] = line.toUpperCase().split(/[ :]/, 1)
    switch (verb) {
      case "EHLO":
        return this.#say(`250-simulated\r\n${this.#offersTls() ? "250-STARTTLS\r\n" : ""}250 PIPELINING`)
      case "STARTTLS":
        return this.#upgrade()
      case "MAIL":
        this.#returnPath = addressOf(line)
        this.#reaction = "Accept"
        this.#losesAt = null
        this.#decide("Mail")
        return void this.#reply("Mail", "250 2.1.0 Ok")
      case "RCPT":
        this.#recipient = addressOf(line)
        this.#decide("Rcpt")
        if (!this.#ends("RCPT") && !this.#reply("Rcpt", "250 2.1.5 Ok")) this.#recipient = ""
        return
      case "DATA":
        if (this.#recipient === "") return this.#say("503 5.5.1 No recipient")
        if (this.#ends("DATA")) return
        this.#isInMessage = true
        return this.#say("354 Go ahead")
      case "QUIT":
        this.#say("221 2.0.0 Bye")
        return void this.#stream.end()
      default:
        return this.#say("250 2.0.0 Ok")
    }
  }

  #message(raw: string): void {
    const { certificates, now, onAccepted } = this.#world
    const [server, recipient, returnPath, reaction] = [
      this.#server,
      this.#recipient,
      this.#returnPath,
      this.#reaction
    ]
    this.#recipient = ""
    if (certificates.has(server) && this.#security !== "Right") server.exposed.push(recipient)
    if (typeof reaction === "object" && "after" in reaction) {
      server.got(recipient, now(), "Unknown")
      if (reaction.isAccepted) server.accepted.set(recipient, now())
      this.#stream.destroy()
      return
    }
    if (Array.isArray(reaction) && reaction[0] === "Message") {
      server.got(recipient, now(), "Rejected")
      return this.#say(reaction[1])
    }
    server.got(recipient, now(), "Accepted")
    onAccepted({ server, recipient, returnPath, raw })
    if (reaction === "Slow") setTimeout(() => this.#say("250 2.0.0 Ok"), 100 + this.#world.random.below(200))
    else this.#say("250 2.0.0 Ok")
  }
}

/** The certificates of servers that enforce MTA-STS or have TLSA records. */
const certificatesOf = async (servers: Iterable<Server>, { pick }: Random) => {
  const found = new Map<Server, Certificates>()
  const trusted: Array<string> = []
  for (const server of servers) {
    if (server.kind !== "sts" && server.kind !== "dane") continue
    const host = `mx.${server.domain}`
    const right = await selfSigned(host, Date.now())
    const other = await selfSigned("mx.elsewhere.test", Date.now())
    const forged = await selfSigned(host, Date.now())
    // A certificate for the right name by an untrusted authority, one for another name by a trusted authority, or none.
    const wrong = pick(server.kind === "sts" ? [forged, other, null] : [forged, null])
    if (server.kind === "sts") trusted.push(right.cert, other.cert)
    const spki = new X509Certificate(right.cert).publicKey.export({ type: "spki", format: "der" })
    found.set(server, {
      right: createSecureContext(right),
      wrong: wrong === null ? null : createSecureContext(wrong),
      keyHash: createHash("sha256").update(spki).digest("hex")
    })
  }
  return { found, trusted: trusted.join("") }
}

const peer = (socket: Socket): string => (socket.remoteAddress ?? "").replace("::ffff:", "")
const own = (socket: Socket): string => (socket.localAddress ?? "").replace("::ffff:", "")

/** Starts the servers, on one port at each of their addresses, and makes the transport that sends to them. */
export const startSockets = async ({
  random,
  servers,
  ...time
}: CourseOptions & { readonly random: Random }) => {
  const byAddress = new Map([...servers.values()].map((server) => [server.site, server]))
  const { found: certificates, trusted } = await certificatesOf(servers.values(), random)
  const connections = new Map<Server, Connections>(
    [...servers.values()].map((server) => [server, { made: 0, open: 0, peak: 0, unprovenPeak: 0 }])
  )
  const sockets = new Set<Socket>()
  const world: World = { ...time, random, certificates }
  const listener = createServer({ noDelay: true }, (socket) => {
    const server = byAddress.get(own(socket))
    if (server === undefined || !peer(socket).startsWith("127.")) return void socket.destroy()
    const counts = connections.get(server)!
    sockets.add(socket)
    counts.made++
    counts.open++
    let isOpen = true
    const close = () => {
      if (isOpen) counts.open--
      isOpen = false
      sockets.delete(socket)
    }
    socket.on("end", close)
    socket.on("close", close)
    // After the ends of connections that the client has closed before.
    setImmediate(() => {
      counts.peak = Math.max(counts.peak, counts.open)
      if (server.accepted.size === 0) counts.unprovenPeak = Math.max(counts.unprovenPeak, counts.open)
    })
    void new Session(server, socket, world)
  })
  await new Promise<void>((resolve) => listener.listen(0, "0.0.0.0", resolve))
  const { port } = listener.address() as { port: number }

  const policies = Layer.succeed(StsPolicyClient, {
    fetch: (domain) => Effect.succeed(`version: STSv1\nmode: enforce\nmx: mx.${domain}\nmax_age: 604800\n`)
  })
  const secureDns = Layer.succeed(SecureDns, {
    validates: Effect.succeed(true),
    query: (name, type) =>
      Effect.suspend(() => {
        const server = serverFor(servers, name.replace(/^_25\._tcp\./, "").replace(/^mx\d*\./, ""))
        const isSigned = server?.kind === "dane"
        // Without another certificate, its records are bogus during the trouble.
        if (isSigned && certificates.get(server)!.wrong === null && server.isTroubled(time.at()))
          return Effect.fail(new DnsUnavailable({ name, reason: "servfail" }))
        const data = isSigned ? certificates.get(server)!.keyHash : ""
        return Effect.succeed({
          isAuthentic: isSigned,
          alias: null,
          exists: true,
          tlsa: isSigned && type === "TLSA" ? [{ usage: 3, selector: 1, matching: 1, data }] : []
        })
      })
  })
  const transport: Layer.Layer<MailTransport, never, PublicEndpoint | Dns> = Direct.layer({
    port,
    allowLocal: true,
    limits: shortLimits,
    ca: trusted
  }).pipe(
    // A fresh layer, because the service's own one knows neither these policies nor these records.
    Layer.provide(
      Layer.fresh(DomainSecurity.layer.pipe(Layer.provide([secureDns, policies, Layer.orDie(Memory.layer)])))
    )
  )
  return {
    transport,
    connections,
    open: () => sockets.size,
    stop: () =>
      new Promise<void>((resolve) => {
        listener.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      })
  }
}
