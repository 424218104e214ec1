/**
 * Queries name servers directly, for data that the runtimes' resolvers do not return: DNSSEC validation, and whole TXT records.
 * Bun's resolver splits a record of several strings into several records (oven-sh/bun issue 21370), and a DKIM key does not
 * fit into one string.
 *
 * @module
 */
import {
  type Answer,
  AUTHENTIC_DATA,
  decode,
  type DecodedPacket,
  DNSSEC_OK,
  encode,
  RECURSION_DESIRED,
  type RecordType
} from "dns-packet"
import { randomInt } from "node:crypto"
import { createSocket } from "node:dgram"
import { createConnection, isIP } from "node:net"

/** A name server's address. */
interface Server {
  readonly host: string
  readonly port: number
}

/** A reply. `Truncated` means that TCP is needed. `Malformed` is not a reply to the query. */
export type Reply<Found> = Found | NotFound

type NotFound =
  | { readonly _tag: "Failed"; readonly code: string }
  | { readonly _tag: "Truncated" }
  | { readonly _tag: "Malformed" }

/** The content of a successful reply. */
type Holding = { readonly _tag: "Records" | "Answers" }

const isFound = <Found extends Holding>(reply: Reply<Found>): reply is Found =>
  reply._tag === "Records" || reply._tag === "Answers"

/** The answers in a reply. There may be none. */
export interface Answers {
  readonly _tag: "Answers"
  readonly answers: ReadonlyArray<Answer>
  /** Whether the server validated them with DNSSEC. */
  readonly isAuthentic: boolean
  /** Why there are none: `ENOTFOUND` or `ENODATA`. */
  readonly code: string
}

/** A reply to a query for TXT records. */
export type TxtReply = Reply<{ readonly _tag: "Records"; readonly records: ReadonlyArray<string> }>

/** How a query is encoded and how its reply is read. */
interface Kind<Found extends Holding> {
  readonly encode: (id: number, hasExtension: boolean) => Buffer
  readonly read: (message: Buffer, query: Buffer) => Reply<Found>
}

/** A query failed, with a code of `node:dns`, such as `ENOTFOUND`, `ENODATA`, `ETIMEOUT` or `ESERVFAIL`. */
export class TxtQueryFailed extends Error {
  override readonly name = "TxtQueryFailed"
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** The largest datagram that is not fragmented on the Internet (DNS flag day 2020), in bytes. */
const maxDatagram = 1232
const maxReply = 65_535
/** The maximum number of answers in a reply. In a hostile reply, each name can lead through thousands of pointers. */
const maxAnswers = 500

/** Codes by RCODE (RFC 1035, 4.1.1); 0 is success without a record. */
const codes = ["ENODATA", "EFORMERR", "ESERVFAIL", "ENOTFOUND", "ENOTIMP", "EREFUSED"] as const

const malformed = { _tag: "Malformed" } as const

/** Parses a server in the form of `node:dns`: `address`, `address:port` or `[address]:port`. */
const parseServer = (text: string): Server => {
  const [, host, port] = /^\[?([^\]]+?)\]?(?::(\d+))?$/.exec(isIP(text) === 6 ? `[${text}]` : text) ?? []
  return { host: host ?? text, port: port === undefined ? 53 : Number(port) }
}

/**
 * Encodes a query for records of a name, whose labels are ASCII and have at most 63 characters (RFC 1035, 4.1). A secure query
 * requests DNSSEC validation (RFC 4035, 3.2.1; RFC 6840, 5.7).
 */
export const encodeQuery = (
  id: number,
  name: string,
  type: RecordType,
  hasExtension: boolean,
  isSecure: boolean
): Buffer =>
  encode({
    type: "query",
    id,
    flags: RECURSION_DESIRED | (isSecure ? AUTHENTIC_DATA : 0),
    questions: [{ name, type }],
    // EDNS (RFC 6891): the largest datagram, without options.
    additionals: hasExtension
      ? [
          {
            type: "OPT",
            name: ".",
            udpPayloadSize: maxDatagram,
            extendedRcode: 0,
            ednsVersion: 0,
            flags: isSecure ? DNSSEC_OK : 0,
            flag_do: isSecure,
            options: []
          }
        ]
      : []
  })

/** Encodes a query for the TXT records of a name. */
export const encodeTxtQuery = (id: number, name: string, hasExtension: boolean): Buffer =>
  encodeQuery(id, name, "TXT", hasExtension, false)

/** Decodes the header, the question and the first answers of a message; null if they are malformed. */
const decodeUpTo = (message: Buffer, answers: number): DecodedPacket | null => {
  if (message.length < 12) return null
  const cut = Buffer.from(message)
  cut.writeUInt16BE(answers, 6)
  cut.writeUInt32BE(0, 8)
  try {
    const decoded = decode(cut)
    // If the message is too short for its last record, the decoder reads beyond the end.
    return decode.bytes <= message.length ? decoded : null
  } catch {
    return null
  }
}

const questionOf = ({ questions = [] }: DecodedPacket): string =>
  questions.map(({ class: dnsClass, name, type }) => `${dnsClass} ${type} ${name.toLowerCase()}`).join()

/** Parses a message as the reply to a query. Never fails, for any bytes. */
export const readAnswers = (message: Buffer, query: Buffer): Reply<Answers> => {
  const asked = decodeUpTo(query, 0)
  const head = decodeUpTo(message, 0)
  const isReply = head !== null && asked !== null && head.type === "response" && head.id === asked.id
  if (!isReply || questionOf(head) !== questionOf(asked)) return malformed
  if (head.flag_tc) return { _tag: "Truncated" }
  const isAuthentic = head.flag_ad
  const status = message.readUInt16BE(2) & 15
  const code = codes[status] ?? "ESERVFAIL"
  if (status !== 0)
    return code === "ENOTFOUND"
      ? { _tag: "Answers", answers: [], isAuthentic, code }
      : { _tag: "Failed", code }
  const count = message.readUInt16BE(6)
  const { answers } = (count > maxAnswers ? null : decodeUpTo(message, count)) ?? {}
  return answers === undefined ? malformed : { _tag: "Answers", answers, isAuthentic, code }
}

/** Parses a message as the reply to a query for TXT records. Never fails, for any bytes. */
export const readTxtReply = (message: Buffer, query: Buffer): TxtReply => {
  const reply = readAnswers(message, query)
  if (reply._tag !== "Answers") return reply
  // Records of other types are aliases that lead to the TXT records.
  const records = reply.answers.flatMap((answer) =>
    answer.type === "TXT" && answer.class === "IN"
      ? [Buffer.concat(answer.data as ReadonlyArray<Buffer>).toString("utf8")]
      : []
  )
  return records.length === 0 ? { _tag: "Failed", code: reply.code } : { _tag: "Records", records }
}

const timedOut = { _tag: "Failed", code: "ETIMEOUT" } as const
const unreachable = { _tag: "Failed", code: "ECONNREFUSED" } as const

const overUdp = <Found extends Holding>(
  { host, port }: Server,
  query: Buffer,
  millis: number,
  read: Kind<Found>["read"]
): Promise<Reply<Found>> =>
  new Promise((resolve) => {
    const socket = createSocket(isIP(host) === 6 ? "udp6" : "udp4")
    let hasEnded = false
    const end = (reply: Reply<Found>) => {
      if (hasEnded) return
      hasEnded = true
      clearTimeout(timer)
      socket.close()
      resolve(reply)
    }
    const timer = setTimeout(() => end(timedOut), millis)
    socket.on("error", () => end(unreachable))
    // A message that is not a reply to the query may be forged, so it is ignored.
    socket.on("message", (message) => {
      const reply = read(message, query)
      if (reply._tag !== "Malformed") end(reply)
    })
    socket.connect(port, host, () => {
      if (!hasEnded) socket.send(query)
    })
  })

const overTcp = <Found extends Holding>(
  { host, port }: Server,
  query: Buffer,
  millis: number,
  read: Kind<Found>["read"]
): Promise<Reply<Found>> =>
  new Promise((resolve) => {
    const socket = createConnection({ host, port })
    let received = Buffer.alloc(0)
    const end = (reply: Reply<Found>) => {
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
      if (received.length >= size + 2) end(read(received.subarray(2, size + 2), query))
    })
  })

/** Queries one server: over TCP if the reply does not fit, and without EDNS if the server does not support it. */
const queryServer = async <Found extends Holding>(
  server: Server,
  { encode: encodeOf, read }: Kind<Found>,
  millis: number
): Promise<Reply<Found>> => {
  const queryOf = (hasExtension: boolean) => encodeOf(randomInt(0x10000), hasExtension)
  const reply = await overUdp(server, queryOf(true), millis, read)
  if (isFound(reply)) return reply
  if (reply._tag === "Truncated") return overTcp(server, queryOf(true), millis, read)
  if (reply._tag !== "Failed" || reply.code !== "EFORMERR") return reply
  const plain = await overUdp(server, queryOf(false), millis, read)
  return plain._tag === "Truncated" ? overTcp(server, queryOf(false), millis, read) : plain
}

/** The limits of a query. Times are in milliseconds. */
export interface QueryLimits {
  /** How many times each server is queried. */
  readonly rounds: number
  /** The time limit for one server in the first round. It doubles with each round. */
  readonly serverMillis: number
  /** The time limit of the whole query. */
  readonly allMillis: number
}

/** Queries the servers one after another until one answers. Rejects with `TxtQueryFailed`. */
const queryAll = async <Found extends Holding>(
  servers: ReadonlyArray<string>,
  kind: Kind<Found>,
  { allMillis, rounds, serverMillis }: QueryLimits
): Promise<Found> => {
  const start = performance.now()
  const attempts = Array.from({ length: rounds }, (_, round) =>
    servers.map((server) => [parseServer(server), serverMillis * 2 ** round] as const)
  ).flat()
  const query = async (index: number, lastCode: string): Promise<Found> => {
    const left = allMillis - (performance.now() - start)
    const attempt = attempts[index]
    if (attempt === undefined || left <= 0) throw new TxtQueryFailed(lastCode)
    const [server, millis] = attempt
    const reply = await queryServer(server, kind, Math.min(left, millis))
    if (isFound(reply)) return reply
    const code = reply._tag === "Failed" ? reply.code : "EBADRESP"
    if (code === "ENOTFOUND" || code === "ENODATA") throw new TxtQueryFailed(code)
    return query(index + 1, code)
  }
  return query(0, "ETIMEOUT")
}

/**
 * The TXT records of a name, with the strings of each record joined. Rejects with `TxtQueryFailed`. Queries the servers one
 * after another until one returns the name.
 */
export const queryTxt = async (
  servers: ReadonlyArray<string>,
  name: string,
  limits: QueryLimits
): Promise<ReadonlyArray<string>> => {
  const kind = {
    encode: (id: number, hasExtension: boolean) => encodeTxtQuery(id, name, hasExtension),
    read: readTxtReply
  }
  return (await queryAll<Extract<TxtReply, { readonly _tag: "Records" }>>(servers, kind, limits)).records
}

/** The answers to a query that requests DNSSEC validation. Rejects with `TxtQueryFailed`. */
export const querySecurely = (
  servers: ReadonlyArray<string>,
  name: string,
  type: RecordType,
  limits: QueryLimits
): Promise<Answers> =>
  queryAll<Answers>(
    servers,
    { encode: (id, hasExtension) => encodeQuery(id, name, type, hasExtension, true), read: readAnswers },
    limits
  )
