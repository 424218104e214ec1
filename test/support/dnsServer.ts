/**
 * A test's own DNS server: UDP and TCP on one port of 127.0.0.1, with records and failures that can change while it runs.
 *
 * @module
 */
import {
  type Answer,
  decode,
  encode,
  type Packet,
  type Question,
  streamDecode,
  streamEncode
} from "dns-packet"
import { createSocket, type Socket } from "node:dgram"
import { createServer, type Server, type Socket as TcpSocket } from "node:net"
import { freePort } from "./freePort.ts"

/** A name's records. */
export interface Records {
  readonly A?: ReadonlyArray<string>
  readonly AAAA?: ReadonlyArray<string>
  readonly MX?: ReadonlyArray<readonly [preference: number, exchange: string]>
  /** TXT records; one longer than 255 bytes is split into strings. */
  readonly TXT?: ReadonlyArray<string>
  readonly CNAME?: string
  readonly PTR?: string
}

/**
 * How a name fails: `servfail` and `refused` respond with that code, `timeout` does not respond, `truncated` responds over
 * UDP that the client must use TCP.
 */
export type DnsFailure = "servfail" | "refused" | "timeout" | "truncated"

/** A running DNS server. */
export interface DnsServer {
  /** In the format of `SVC_DNS_SERVERS`. */
  readonly address: string
  readonly port: number
  /** Replaces a name's records; null for a name that does not exist. */
  readonly set: (name: string, records: Records | null) => void
  /** Makes a name fail until `null` is given. */
  readonly fail: (name: string, failure: DnsFailure | null) => void
  /** The questions so far, such as `MX example.com` or `tcp MX example.com`. */
  readonly questions: () => ReadonlyArray<string>
  readonly stop: () => Promise<void>
}

const REFUSED = 5
const SERVFAIL = 2
const NXDOMAIN = 3

const canonical = (name: string): string => name.toLowerCase().replace(/\.$/, "")

const stringsOf = (text: string): ReadonlyArray<string> => text.match(/[\s\S]{1,255}/g) ?? [""]

const listenTcp = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => resolve())
  })

const bindUdp = (socket: Socket, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once("error", reject)
    socket.bind(port, "127.0.0.1", () => resolve())
  })

/** Starts a DNS server with the records of the given names; any other name does not exist. */
export const startDnsServer = async (names: Readonly<Record<string, Records>> = {}): Promise<DnsServer> => {
  const records = new Map(Object.entries(names).map(([name, of]) => [canonical(name), of]))
  const failures = new Map<string, DnsFailure>()
  const asked: Array<string> = []

  const answersOf = (question: Question): ReadonlyArray<Answer> => {
    const { name, type } = question
    const of = records.get(canonical(name))
    const ttl = 1
    if (of === undefined) return []
    if (of.CNAME !== undefined && type !== "CNAME") {
      const target = of.CNAME
      return [{ name, type: "CNAME", ttl, data: target }, ...answersOf({ ...question, name: target })]
    }
    switch (type) {
      case "A":
        return (of.A ?? []).map((data) => ({ name, type: "A", ttl, data }))
      case "AAAA":
        return (of.AAAA ?? []).map((data) => ({ name, type: "AAAA", ttl, data }))
      case "MX":
        return (of.MX ?? []).map(([preference, exchange]) => ({
          name,
          type: "MX",
          ttl,
          // The exchange of a null MX is the root, which the encoder takes as a dot.
          data: { preference, exchange: exchange === "" ? "." : exchange }
        }))
      case "TXT":
        return (of.TXT ?? []).map((text) => ({ name, type: "TXT", ttl, data: [...stringsOf(text)] }))
      case "PTR":
        return of.PTR === undefined ? [] : [{ name, type: "PTR", ttl, data: of.PTR }]
      case "CNAME":
        return of.CNAME === undefined ? [] : [{ name, type: "CNAME", ttl, data: of.CNAME }]
      default:
        return []
    }
  }

  /** The response to a query; null if none is sent. */
  const answer = (query: Packet, overTcp: boolean): Packet | null => {
    const question = query.questions?.[0]
    if (question === undefined) return null
    const name = canonical(question.name)
    asked.push(`${overTcp ? "tcp " : ""}${question.type} ${name}`)
    const failure = failures.get(name)
    if (failure === "timeout") return null
    // The flags: recursion desired, recursion available, authoritative.
    const flags = 0x0580
    const reply: Packet = { type: "response", id: query.id ?? 0, flags, questions: [question], answers: [] }
    if (failure === "servfail") return { ...reply, flags: flags | SERVFAIL }
    if (failure === "refused") return { ...reply, flags: flags | REFUSED }
    if (failure === "truncated" && !overTcp) return { ...reply, flags: flags | 0x0200 }
    if (!records.has(name)) return { ...reply, flags: flags | NXDOMAIN }
    return { ...reply, answers: [...answersOf(question)] }
  }

  const udp = createSocket("udp4")
  udp.on("message", (message, from) => {
    try {
      const reply = answer(decode(message), false)
      if (reply !== null) udp.send(encode(reply), from.port, from.address)
    } catch {
      // A message that is not a query gets no response.
    }
  })

  const open = new Set<TcpSocket>()
  const tcp = createServer((socket) => {
    open.add(socket)
    let received = Buffer.alloc(0)
    socket.on("close", () => open.delete(socket))
    socket.on("error", () => socket.destroy())
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk])
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const size = 2 + received.readUInt16BE(0)
        const query = streamDecode(received.subarray(0, size))
        received = received.subarray(size)
        const reply = answer(query, true)
        if (reply !== null) socket.write(streamEncode(reply))
      }
    })
  })

  const port = await freePort()
  await listenTcp(tcp, port)
  await bindUdp(udp, port)

  return {
    address: `127.0.0.1:${port}`,
    port,
    set: (name, of) => {
      if (of === null) records.delete(canonical(name))
      else records.set(canonical(name), of)
    },
    fail: (name, failure) => {
      if (failure === null) failures.delete(canonical(name))
      else failures.set(canonical(name), failure)
    },
    questions: () => [...asked],
    stop: async () => {
      for (const socket of open) socket.destroy()
      await Promise.all([
        new Promise<void>((resolve) => udp.close(() => resolve())),
        new Promise<void>((resolve) => tcp.close(() => resolve()))
      ])
    }
  }
}
