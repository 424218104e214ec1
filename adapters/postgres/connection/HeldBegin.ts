/**
 * Sends BEGIN together with the statement that follows it, so that a transaction costs one round trip and one write less.
 *
 * @module
 */
import { PgProtocol } from "@effect/sql-pg"
import { Result } from "effect"
import type { Duplex } from "node:stream"

/** The statement, as `Transaction` sends it: prepared under no name. */
export const beginText = "BEGIN"

const parseOf = (query: string): Uint8Array =>
  Result.getOrThrow(PgProtocol.encodeParse({ name: "", query, parameterTypes: [] }))

/** How the messages of a BEGIN begin. */
const parseBegin = Buffer.from(parseOf(beginText))

const typed = (type: string, body = ""): Buffer => {
  const message = Buffer.alloc(5 + body.length, 0)
  message.write(type, 0, "latin1")
  message.writeUInt32BE(4 + body.length, 1)
  message.write(body, 5, "latin1")
  return message
}

/** ParseComplete, BindComplete, NoData, CommandComplete and ReadyForQuery in a transaction. */
const beginReply = Buffer.concat([
  typed("1"),
  typed("2"),
  typed("n"),
  typed("C", `${beginText}\0`),
  typed("Z", "T")
])

const [describe, sync] = [0x44, 0x53]

/** What PostgreSQL replies to the messages that are sent on: ParseComplete, BindComplete and CommandComplete. */
const expected = [0x31, 0x32, 0x43]

/** The bytes of that, which mostly come together and first. */
const usualReply = Buffer.concat([typed("1"), typed("2"), typed("C", `${beginText}\0`)])

/** ErrorResponse, which may come instead of each of them. */
const errorResponse = 0x45

const headerSize = 5

/** The message at a place with its header; undefined where it is incomplete. */
const messageAt = (bytes: Buffer, at: number): Buffer | undefined => {
  if (at + headerSize > bytes.length) return undefined
  const end = at + 1 + bytes.readUInt32BE(at + 1)
  return end > bytes.length ? undefined : bytes.subarray(at, end)
}

/** The messages of a BEGIN that are sent with the next statement: without Sync, so that one fails with the other. */
const withoutSync = (frame: Buffer): Buffer => {
  const kept: Array<Buffer> = []
  for (let at = 0, message; (message = messageAt(frame, at)) !== undefined; at += message.length) {
    if (message[0] !== describe && message[0] !== sync) kept.push(message)
  }
  return Buffer.concat(kept)
}

/** Takes the replies to BEGIN out of what a server sends. */
class BeginReplies {
  /** How many of `expected` have come. */
  #taken = expected.length
  #rest: Buffer | null = null

  /** Call it when a BEGIN is sent. */
  expect(): void {
    this.#taken = 0
  }

  /** What a connection receives, without the replies to BEGIN; it may be empty. */
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
    // Messages that may come at any time are passed on: notices, notifications and settings.
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
        // It is the reply to the statement too, which was not run.
        if (message[0] === errorResponse) this.#taken = expected.length
      }
    }
    const rest = bytes.subarray(at)
    return passed.length === 0 ? rest : Buffer.concat([...passed, rest])
  }
}

/**
 * Makes a connection hold a BEGIN until the next statement, and reply to it at once. Both are one request of the protocol: where
 * BEGIN fails, the statement fails with its error. TLS that begins on the connection is passed on as it is.
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
