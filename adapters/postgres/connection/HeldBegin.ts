/**
 * Sends BEGIN together with the statement that follows it, which saves a transaction one round trip and one write.
 *
 * @module
 */
import { PgProtocol } from "@effect/sql-pg"
import { Result } from "effect"
import type { Duplex } from "node:stream"

/** The statement as `Transaction` sends it: as an unnamed prepared statement. */
export const beginText = "BEGIN"

const parseOf = (query: string): Uint8Array =>
  Result.getOrThrow(PgProtocol.encodeParse({ name: "", query, parameterTypes: [] }))

/** The first bytes of a BEGIN's messages. */
const parseBegin = Buffer.from(parseOf(beginText))

const typed = (type: string, body = ""): Buffer => {
  const message = Buffer.alloc(5 + body.length, 0)
  message.write(type, 0, "latin1")
  message.writeUInt32BE(4 + body.length, 1)
  message.write(body, 5, "latin1")
  return message
}

/** The reply to BEGIN: ParseComplete, BindComplete, NoData, CommandComplete, and ReadyForQuery in a transaction. */
const beginReply = Buffer.concat([
  typed("1"),
  typed("2"),
  typed("n"),
  typed("C", `${beginText}\0`),
  typed("Z", "T")
])

const [describe, sync] = [0x44, 0x53]

/** The types of PostgreSQL's replies to the messages that are sent on: ParseComplete, BindComplete and CommandComplete. */
const expected = [0x31, 0x32, 0x43]

/** The bytes of these replies, which usually arrive together and first. */
const usualReply = Buffer.concat([typed("1"), typed("2"), typed("C", `${beginText}\0`)])

/** ErrorResponse, which may replace any of them. */
const errorResponse = 0x45

const headerSize = 5

/** The message at a position, with its header; undefined if it is incomplete. */
const messageAt = (bytes: Buffer, at: number): Buffer | undefined => {
  if (at + headerSize > bytes.length) return undefined
  const end = at + 1 + bytes.readUInt32BE(at + 1)
  return end > bytes.length ? undefined : bytes.subarray(at, end)
}

/** The messages of a BEGIN that are sent with the next statement. They have no Sync, so that both fail together. */
const withoutSync = (frame: Buffer): Buffer => {
  const kept: Array<Buffer> = []
  for (let at = 0, message; (message = messageAt(frame, at)) !== undefined; at += message.length) {
    if (message[0] !== describe && message[0] !== sync) kept.push(message)
  }
  return Buffer.concat(kept)
}

/** Removes the replies to BEGIN from what a server sends. */
class BeginReplies {
  /** How many of the `expected` replies have arrived. */
  #taken = expected.length
  #rest: Buffer | null = null

  /** Must be called when a BEGIN is sent. */
  expect(): void {
    this.#taken = 0
  }

  /** Returns the received bytes without the replies to BEGIN. The result may be empty. */
  takeFrom(received: Buffer): Buffer {
    if (this.#taken === expected.length) return received
    if (
      this.#taken === 0 &&
      this.#rest === null &&
      received.subarray(0, usualReply.length).equals(usualReply)
    ) {
      this.#taken = expected.length
      return received.subarray(usualReply.length)
    }
    const bytes = this.#rest === null ? received : Buffer.concat([this.#rest, received])
    this.#rest = null
    // Messages that may arrive at any time are passed on: notices, notifications and settings.
    const passed: Array<Buffer> = []
    let at = 0
    while (this.#taken < expected.length) {
      const message = messageAt(bytes, at)
      if (message === undefined) {
        if (at < bytes.length) this.#rest = bytes.subarray(at)
        return Buffer.concat(passed)
      }
      at += message.length
      if (message[0] === expected[this.#taken]) this.#taken++
      else {
        passed.push(message)
        // The error is also the reply to the statement, which was not run.
        if (message[0] === errorResponse) this.#taken = expected.length
      }
    }
    const rest = bytes.subarray(at)
    return passed.length === 0 ? rest : Buffer.concat([...passed, rest])
  }
}

/**
 * Makes a connection hold a BEGIN until the next statement, and reply to it immediately. Both are then one request of the
 * protocol: if BEGIN fails, the statement fails with its error. If TLS starts on the connection, its bytes are not changed.
 */
export const holdBegin = <Connection extends Duplex>(connection: Connection): Connection => {
  const write = connection.write.bind(connection) as (chunk: unknown, ...rest: Array<unknown>) => boolean
  const push = connection.push.bind(connection)
  const replies = new BeginReplies()
  let held: Buffer | null = null
  const reply = (): void => {
    push(beginReply)
  }
  const methods = {
    write: (chunk: unknown, ...rest: Array<unknown>): boolean => {
      if (held !== null && chunk instanceof Uint8Array) {
        const both = Buffer.concat([held, chunk])
        held = null
        replies.expect()
        return write(both, ...rest)
      }
      if (!(chunk instanceof Uint8Array) || rest.length > 0) return write(chunk, ...rest)
      const frame = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      if (!frame.subarray(0, parseBegin.length).equals(parseBegin) || !connection.readable)
        return write(chunk)
      held = withoutSync(frame)
      queueMicrotask(reply)
      return true
    },
    push: (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (!(chunk instanceof Uint8Array)) return push(chunk, encoding)
      const passed = replies.takeFrom(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
      return passed.length === 0 || push(passed)
    }
  }
  return Object.assign(connection, methods)
}
