/**
 * Queries name servers for TXT records directly: Bun's resolver splits a record of several strings into several records
 * (oven-sh/bun issue 21370), and a DKIM key is longer than one string can be.
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

/** A reply. `Truncated` asks for TCP, `Malformed` is no reply to the query. */
export type TxtReply =
  | { readonly _tag: "Records"; readonly records: ReadonlyArray<string> }
  | { readonly _tag: "Failed"; readonly code: string }
  | { readonly _tag: "Truncated" }
  | { readonly _tag: "Malformed" }

/** A query failed, with a code of `node:dns`: `ENOTFOUND`, `ENODATA`, `ETIMEOUT`, `ESERVFAIL`... */
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
/** The largest datagram that is not fragmented on the Internet (DNS flag day 2020). */
const maxDatagram = 1232
const maxReply = 65_535

/** Codes by RCODE (RFC 1035, 4.1.1); 0 is success without a record. */
const codes = ["ENODATA", "EFORMERR", "ESERVFAIL", "ENOTFOUND", "ENOTIMP", "EREFUSED"] as const

const malformed: TxtReply = { _tag: "Malformed" }

/** Parses a server in the form of `node:dns`: `address`, `address:port` or `[address]:port`. */
const parseServer = (text: string): Server => {
  const [, host, port] = /^\[?([^\]]+?)\]?(?::(\d+))?$/.exec(isIP(text) === 6 ? `[${text}]` : text) ?? []
  return { host: host ?? text, port: port === undefined ? 53 : Number(port) }
}

/** Encodes a query for the TXT records of a name, whose labels are ASCII and at most 63 characters (RFC 1035, 4.1). */
export const encodeTxtQuery = (id: number, name: string, hasExtension: boolean): Buffer => {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(0x0100, 2)
  header.writeUInt16BE(1, 4)
  if (hasExtension) header.writeUInt16BE(1, 10)
  const labels = name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label, "latin1")]))
  const question = Buffer.from([0, 0, typeTxt, 0, classIn])
  // EDNS (RFC 6891): the root, OPT, the largest datagram, no flags, no data.
  const extension = Buffer.from([0, 0, 41, maxDatagram >> 8, maxDatagram & 255, 0, 0, 0, 0, 0, 0])
  return Buffer.concat([header, ...labels, question, ...(hasExtension ? [extension] : [])])
}

/** The index after the name that begins at `at`; null beyond the message's end. A pointer ends a name (RFC 1035, 4.1.4). */
const skipName = (message: Buffer, at: number): number | null => {
  for (let index = at; index < message.length;) {
    const length = message[index]!
    if (length === 0) return index + 1
    if (length >= 192) return index + 2
    if (length >= 64) return null
    index += length + 1
  }
  return null
}

/** Joins the strings of a TXT record; null when the record is malformed. */
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

/** The TXT records among the `count` answers that begin at `at`; null when they are malformed. */
const readRecords = (message: Buffer, at: number, count: number): ReadonlyArray<string> | null => {
  const records: Array<string> = []
  let next = at
  for (let index = 0; index < count; index++) {
    const fields = skipName(message, next)
    if (fields === null || fields + 10 > message.length) return null
    const start = fields + 10
    const end = start + message.readUInt16BE(fields + 8)
    if (end > message.length) return null
    // Records of other types are the aliases that lead to the TXT records.
    if (message.readUInt16BE(fields) === typeTxt && message.readUInt16BE(fields + 2) === classIn) {
      const text = joinStrings(message.subarray(start, end))
      if (text === null) return null
      records.push(text)
    }
    next = end
  }
  return records
}

/** Parses a message as the reply to a query. Total for any bytes. */
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
  const records = readRecords(message, end, message.readUInt16BE(6))
  if (records === null) return malformed
  return records.length === 0 ? { _tag: "Failed", code: codes[0] } : { _tag: "Records", records }
}

const timedOut: TxtReply = { _tag: "Failed", code: "ETIMEOUT" }
const unreachable: TxtReply = { _tag: "Failed", code: "ECONNREFUSED" }

const overUdp = ({ host, port }: Server, query: Buffer, millis: number): Promise<TxtReply> =>
  new Promise((resolve) => {
    const socket = createSocket(isIP(host) === 6 ? "udp6" : "udp4")
    let hasEnded = false
    const end = (reply: TxtReply) => {
      if (hasEnded) return
      hasEnded = true
      clearTimeout(timer)
      socket.close()
      resolve(reply)
    }
    const timer = setTimeout(() => end(timedOut), millis)
    socket.on("error", () => end(unreachable))
    // A message that is no reply to the query may be forged: keeps waiting for the reply.
    socket.on("message", (message) => {
      const reply = readTxtReply(message, query)
      if (reply._tag !== "Malformed") end(reply)
    })
    socket.connect(port, host, () => {
      if (!hasEnded) socket.send(query)
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

/** Queries one server: over TCP when the reply does not fit, without EDNS when the server does not support it. */
const queryServer = async (server: Server, name: string, millis: number): Promise<TxtReply> => {
  const queryOf = (hasExtension: boolean) => encodeTxtQuery(randomInt(0x10000), name, hasExtension)
  const reply = await overUdp(server, queryOf(true), millis)
  if (reply._tag === "Truncated") return overTcp(server, queryOf(true), millis)
  if (reply._tag !== "Failed" || reply.code !== "EFORMERR") return reply
  const plain = await overUdp(server, queryOf(false), millis)
  return plain._tag === "Truncated" ? overTcp(server, queryOf(false), millis) : plain
}

/** The limits of a query. */
export interface QueryLimits {
  /** How many times each server is queried. */
  readonly rounds: number
  /** The time limit for one server in the first round, milliseconds; doubled with each round. */
  readonly serverMillis: number
  /** The time limit of the whole query, milliseconds. */
  readonly allMillis: number
}

/**
 * The TXT records of a name, the strings of each joined; rejects with `TxtQueryFailed`. Queries the servers one after
 * another until one knows the name.
 */
export const queryTxt = async (
  servers: ReadonlyArray<string>,
  name: string,
  { allMillis, rounds, serverMillis }: QueryLimits
): Promise<ReadonlyArray<string>> => {
  const start = performance.now()
  const attempts = Array.from({ length: rounds }, (_, round) =>
    servers.map((server) => [parseServer(server), serverMillis * 2 ** round] as const)
  ).flat()
  const query = async (index: number, lastCode: string): Promise<ReadonlyArray<string>> => {
    const left = allMillis - (performance.now() - start)
    const attempt = attempts[index]
    if (attempt === undefined || left <= 0) throw new TxtQueryFailed(lastCode)
    const [server, millis] = attempt
    const reply = await queryServer(server, name, Math.min(left, millis))
    if (reply._tag === "Records") return reply.records
    const code = reply._tag === "Failed" ? reply.code : "EBADRESP"
    if (code === "ENOTFOUND" || code === "ENODATA") throw new TxtQueryFailed(code)
    return query(index + 1, code)
  }
  return query(0, "ETIMEOUT")
}
