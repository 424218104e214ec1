/**
 * Reads received messages: ordinary small ones at once, all others in a thread that is ended when it takes too long.
 *
 * @module
 */
import { Effect } from "effect"
import type { RunEnded, Threads, ThreadTask } from "../../../core/ports/Threads.ts"
import type { RelayMail } from "../../../core/relay/RelayMail.ts"

/**
 * How long a thread may take to parse a message, milliseconds. The largest ordinary message takes 0.2 s on a machine that
 * does nothing else.
 */
export const maxMillis = 5_000

type Parser = typeof import("./MailParser.ts")

let loaded: Parser | null = null

/** The parser, loaded for the first message: it is a tenth of the code of the service. */
const parser = Effect.suspend(() =>
  loaded === null
    ? Effect.promise(async () => (loaded = await import("./MailParser.ts")))
    : Effect.succeed(loaded)
)

const parsingBy = ({ parserModule }: Parser): ThreadTask<Uint8Array, RelayMail | null> => ({
  module: parserModule,
  name: "readMailInThread",
  maxMillis
})

/**
 * The largest messages that are parsed at once, of one part and of several, and the largest header, in bytes. The slowest of
 * those that were found takes 10 ms: in a header the time grows with the square of the addresses, and each of several parts
 * has a header.
 */
const maxSimple = 112 * 1024
const maxMultipart = 8 * 1024
const maxHeader = 4 * 1024

/** Charsets that the runtime decodes itself. Others are decoded by tables, and UTF-7 in quadratic time. */
const fastCharset = /^"?(?:utf-?8|us-ascii|iso-8859-1|windows-1252)["\s;]/i

/** Whether a message certainly takes little time to parse. */
export const isSmall = (raw: Buffer): boolean => {
  if (raw.length > maxSimple) return false
  const end = raw.indexOf("\r\n\r\n")
  const header = raw.toString("latin1", 0, end === -1 ? raw.length : end)
  if (header.length > maxHeader) return false
  const isSimple = !/multipart\/|message\//i.test(header)
  if (!isSimple && raw.length > maxMultipart) return false
  const declared = isSimple ? header : raw.toString("latin1")
  return Array.from(declared.matchAll(/charset[\d*\s]*=\s*/gi)).every(({ 0: name, index }) => {
    const from = index + name.length
    return fastCharset.test(`${declared.slice(from, from + 20)};`)
  })
}

/** The bytes with a buffer of their own, which can be moved to a thread. */
const movable = (raw: Buffer): Uint8Array<ArrayBuffer> =>
  raw.buffer instanceof ArrayBuffer && raw.buffer.byteLength === raw.byteLength
    ? new Uint8Array(raw.buffer)
    : new Uint8Array(raw)

/** Reads a message, whose bytes it may take; null for one that cannot be read. */
export const readMail = (
  threads: Threads["Service"],
  raw: Buffer
): Effect.Effect<RelayMail | null, RunEnded> =>
  Effect.flatMap(parser, (found) => {
    if (isSmall(raw)) return Effect.promise(() => found.parseMail(raw))
    const bytes = movable(raw)
    return threads.run(parsingBy(found), bytes, { bytes: bytes.length, transfer: [bytes.buffer] })
  })
