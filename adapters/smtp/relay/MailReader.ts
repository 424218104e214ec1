/**
 * Reads received messages. Ordinary small ones are parsed immediately, others in a thread that is ended if it takes too long.
 *
 * @module
 */
import { Effect } from "effect"
import type { RunEnded, Threads, ThreadTask } from "../../../core/ports/Threads.ts"
import type { RelayMail } from "../../../core/relay/RelayMail.ts"

/**
 * How long a thread may take to parse a message, in milliseconds. The largest ordinary message takes 0.2 s on an otherwise idle
 * machine.
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
 * The maximum sizes for parsing immediately, in bytes: of messages with one part, of those with several, and of headers. The
 * slowest known messages take 10 ms. The time for a header grows with the square of its addresses, and each of several
 * parts has a header.
 */
const maxSimple = 112 * 1024
const maxMultipart = 8 * 1024
const maxHeader = 4 * 1024

/** Charsets that the runtime decodes itself. Others are decoded with tables, and UTF-7 in quadratic time. */
const fastCharset = /^"?(?:utf-?8|us-ascii|iso-8859-1|windows-1252)["\s;]/i

/** Whether a message can certainly be parsed in a short time. */
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

/** The bytes with a buffer of their own, which can be transferred to a thread. */
const movable = (raw: Buffer): Uint8Array<ArrayBuffer> =>
  raw.buffer instanceof ArrayBuffer && raw.buffer.byteLength === raw.byteLength
    ? new Uint8Array(raw.buffer)
    : new Uint8Array(raw)

/** Reads a message and may take over its bytes; null if it cannot be read. */
export const readMail = (
  threads: Threads["Service"],
  raw: Buffer
): Effect.Effect<RelayMail | null, RunEnded> =>
  Effect.flatMap(parser, (found) => {
    if (isSmall(raw)) return Effect.promise(() => found.parseMail(raw))
    const bytes = movable(raw)
    return threads.run(parsingBy(found), bytes, { bytes: bytes.length, transfer: [bytes.buffer] })
  })
