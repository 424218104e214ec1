/**
 * Asks name servers for TXT records, in messages of our own: Bun's resolver tears a record of several strings into
 * several records (oven-sh/bun issue 21370), and a DKIM key is longer than a string can be.
 *
 * @module
 */
import { randomInt } from "node:crypto"
import { createSocket } from "node:dgram"
import { createConnection, isIP } from "node:net"

/** A name server's address. */
interface Server {
  readonly host: string
  readonly port: number
}

/** What a reply says. `Truncated` asks for TCP, `Malformed` is no reply to the query. */
export type TxtReply =
  | { readonly _tag: "Texts"; readonly texts: ReadonlyArray<string> }
  | { readonly _tag: "Failed"; readonly code: string }
  | { readonly _tag: "Truncated" }
  | { readonly _tag: "Malformed" }

/** A look-up failed, with a code as of `node:dns`: `ENOTFOUND`, `ENODATA`, `ETIMEOUT`, `ESERVFAIL`... */
export class TxtQueryFailed extends Error {
  override readonly name = "TxtQueryFailed"
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

const typeTxt = 16
const classIn = 1
const headerBytes = 12
/** The largest datagram that crosses the Internet in one piece (DNS flag day 2020). */
const maxDatagram = 1232
const maxReply = 65_535

/** Codes by RCODE (RFC 1035, 4.1.1); 0 is success. */
const codes = ["ENODATA", "EFORMERR", "ESERVFAIL", "ENOTFOUND", "ENOTIMP", "EREFUSED"] as const

const malformed: TxtReply = { _tag: "Malformed" }

/** A server as `node:dns` writes it: `address`, `address:port` or `[address]:port`. */
const parseServer = (text: string): Server => {
  const [, host, port] = /^\[?([^\]]+?)\]?(?::(\d+))?$/.exec(isIP(text) === 6 ? `[${text}]` : text) ?? []
  return { host: host ?? text, port: port === undefined ? 53 : Number(port) }
}

/** A query for the TXT records of a name of ASCII labels of at most 63 characters (RFC 1035, 4.1). */
export const encodeTxtQuery = (id: number, name: string, hasExtension: boolean): Buffer => {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(0x0100, 2)
  header.writeUInt16BE(1, 4)
  if (hasExtension) header.writeUInt16BE(1, 10)
  const labels = name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label, "latin1")]))
  const question = Buffer.from([0, 0, typeTxt, 0, classIn])
  // EDNS (RFC 6891): the root, OPT, how large a datagram may be, no flags, no data.
  const extension = Buffer.from([0, 0, 41, maxDatagram >> 8, maxDatagram & 255, 0, 0, 0, 0, 0, 0])
  return Buffer.concat([header, ...labels, question, ...(hasExtension ? [extension] : [])])
}

/** Where a name ends that begins at `at`; null past the message's end. A pointer ends it (RFC 1035, 4.1.4). */
const skipName = (message: Buffer, at: number): number | null => {
  for (let place = at; place < message.length;) {
    const length = message[place]!
    if (length === 0) return place + 1
    if (length >= 192) return place + 2
    if (length >= 64) return null
    place += length + 1
  }
  return null
}

/** The strings of a TXT record, joined; null where they do not fill it. */
const joinStrings = (data: Buffer): string | null => {
  const strings: Array<Buffer> = []
  let at = 0
  while (at < data.length) {
    const end = at + 1 + data[at]!
    if (end > data.length) return null
    strings.push(data.subarray(at + 1, end))
    at = end
  }
  return Buffer.concat(strings).toString("utf8")
}

/** The texts of the answers, of which there are `count` from `at` on; null for what is cut off or torn. */
const readTexts = (message: Buffer, at: number, count: number): ReadonlyArray<string> | null => {
  const texts: Array<string> = []
  let place = at
  for (let index = 0; index < count; index++) {
    const fields = skipName(message, place)
    if (fields === null || fields + 10 > message.length) return null
    const start = fields + 10
    const end = start + message.readUInt16BE(fields + 8)
    if (end > message.length) return null
    // Records of other types are aliases that lead to the texts.
    if (message.readUInt16BE(fields) === typeTxt && message.readUInt16BE(fields + 2) === classIn) {
      const text = joinStrings(message.subarray(start, end))
      if (text === null) return null
      texts.push(text)
    }
    place = end
  }
  return texts
}

/** What a message says as the reply to a query. Takes any bytes. */
export const readTxtReply = (message: Buffer, query: Buffer): TxtReply => {
  const end = skipName(query, headerBytes)! + 4
  if (message.length < end || message.readUInt16BE(0) !== query.readUInt16BE(0)) return malformed
  const flags = message.readUInt16BE(2)
  const isReply = (flags & 0x8000) !== 0 && message.readUInt16BE(4) === 1
  const question = (of: Buffer) => of.toString("latin1", headerBytes, end).toLowerCase()
  if (!isReply || question(message) !== question(query)) return malformed
  if ((flags & 0x0200) !== 0) return { _tag: "Truncated" }
  const status = flags & 15
  if (status !== 0) return { _tag: "Failed", code: codes[status] ?? "ESERVFAIL" }
  const texts = readTexts(message, end, message.readUInt16BE(6))
  if (texts === null) return malformed
  return texts.length === 0 ? { _tag: "Failed", code: codes[0] } : { _tag: "Texts", texts }
}

const timedOut: TxtReply = { _tag: "Failed", code: "ETIMEOUT" }
const unreachable: TxtReply = { _tag: "Failed", code: "ECONNREFUSED" }

const overUdp = ({ host, port }: Server, query: Buffer, millis: number): Promise<TxtReply> =>
  new Promise((resolve) => {
    const socket = createSocket(isIP(host) === 6 ? "udp6" : "udp4")
    let isOver = false
    const end = (reply: TxtReply) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      socket.close()
      resolve(reply)
    }
    const timer = setTimeout(() => end(timedOut), millis)
    socket.on("error", () => end(unreachable))
    // What is no reply to the query may be somebody's guess: the reply is waited for.
    socket.on("message", (message) => {
      const reply = readTxtReply(message, query)
      if (reply._tag !== "Malformed") end(reply)
    })
    socket.connect(port, host, () => {
      if (!isOver) socket.send(query)
    })
  })

const overTcp = ({ host, port }: Server, query: Buffer, millis: number): Promise<TxtReply> =>
  new Promise((resolve) => {
    const socket = createConnection({ host, port })
    let received = Buffer.alloc(0)
    const end = (reply: TxtReply) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(reply)
    }
    const timer = setTimeout(() => end(timedOut), millis)
    socket.on("error", () => end(unreachable))
    socket.on("close", () => end(unreachable))
    socket.on("connect", () => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(query.length)
      socket.write(Buffer.concat([length, query]))
    })
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const size = received.length < 2 ? maxReply : received.readUInt16BE(0)
      if (received.length >= size + 2) end(readTxtReply(received.subarray(2, size + 2), query))
    })
  })

/** Asks one server: over TCP when the reply does not fit, and without EDNS one that knows none. */
const askServer = async (server: Server, name: string, millis: number): Promise<TxtReply> => {
  const queryOf = (hasExtension: boolean) => encodeTxtQuery(randomInt(0x10000), name, hasExtension)
  const reply = await overUdp(server, queryOf(true), millis)
  if (reply._tag === "Truncated") return overTcp(server, queryOf(true), millis)
  if (reply._tag !== "Failed" || reply.code !== "EFORMERR") return reply
  const plain = await overUdp(server, queryOf(false), millis)
  return plain._tag === "Truncated" ? overTcp(server, queryOf(false), millis) : plain
}

/** How many times each server is asked, and for how long it is waited for. */
export interface Patience {
  readonly rounds: number
  /** In the first round, milliseconds; twice as long in each that follows. */
  readonly serverMillis: number
  /** After this no server is asked any more, milliseconds. */
  readonly allMillis: number
}

/**
 * The texts of a name's TXT records, the strings of each joined; rejects with `TxtQueryFailed`. Servers are asked in
 * turn until one knows.
 */
export const queryTxt = async (
  servers: ReadonlyArray<string>,
  name: string,
  { allMillis, rounds, serverMillis }: Patience
): Promise<ReadonlyArray<string>> => {
  const start = performance.now()
  const turns = Array.from({ length: rounds }, (_, round) =>
    servers.map((server) => [parseServer(server), serverMillis * 2 ** round] as const)
  ).flat()
  const ask = async (index: number, before: string): Promise<ReadonlyArray<string>> => {
    const left = allMillis - (performance.now() - start)
    const turn = turns[index]
    if (turn === undefined || left <= 0) throw new TxtQueryFailed(before)
    const [server, millis] = turn
    const reply = await askServer(server, name, Math.min(left, millis))
    if (reply._tag === "Texts") return reply.texts
    const code = reply._tag === "Failed" ? reply.code : "EBADRESP"
    if (code === "ENOTFOUND" || code === "ENODATA") throw new TxtQueryFailed(code)
    return ask(index + 1, code)
  }
  return ask(0, "ETIMEOUT")
}
