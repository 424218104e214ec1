/**
 * Reads commands as smtp-server does, but requires the line ends of RFC 5321, 2.3.8. smtp-server accepts a bare line feed as the
 * end of a line, so a client that is tricked into sending one could smuggle commands. `Intake` checks the content of messages.
 *
 * @module
 */
import type { SMTPServerDataStream } from "smtp-server"
import { SMTPStream } from "smtp-server/lib/smtp-stream.js"

type Done = (error?: Error | null) => void

const lineFeed = 0x0a
const carriageReturn = 0x0d
const dot = 0x2e
const none = Buffer.alloc(0)
/** Treated as preceding the content of a message, because a line end precedes a line. */
const lineEnd = Buffer.from("\r\n")

/** Reads commands. A line that ends in a bare line feed is not run. */
export class CommandStream extends SMTPStream {
  readonly #onBareLineFeed: () => void
  /** The last two bytes of the message before the next chunk, without undecided ones. */
  #before: Buffer = lineEnd
  /** A dot at the beginning of a line, possibly with a carriage return. The next chunk determines its meaning. */
  #undecided: Buffer = none

  constructor(options: { readonly maxCommandLength: number; readonly onBareLineFeed: () => void }) {
    super({ maxCommandLength: options.maxCommandLength })
    this.#onBareLineFeed = options.onBareLineFeed
  }

  override _write(chunk: Buffer, encoding: BufferEncoding | "buffer", next: Done): void {
    const bare = this._dataMode || this.isClosed ? -1 : bareLineFeed(chunk, this._remainder.endsWith("\r"))
    if (bare === -1) return super._write(chunk, encoding, next)
    const lineStart = bare === 0 ? 0 : chunk.lastIndexOf(lineFeed, bare - 1) + 1
    if (lineStart === 0) {
      this._remainder = ""
      this.#onBareLineFeed()
      return next()
    }
    // The lines before it are run. If one of them begins a message, the rest is content of that message.
    const remaining = chunk.subarray(lineStart)
    return super._write(chunk.subarray(0, lineStart), encoding, (error) =>
      error == null ? this._write(remaining, encoding, next) : next(error)
    )
  }

  override startDataMode(maxBytes?: number | string | null): SMTPServerDataStream {
    this.#before = lineEnd
    this.#undecided = none
    return super.startDataMode(maxBytes)
  }

  /**
   * Passes on the content of a message, each chunk in one piece, without the dots that clients add to lines beginning with one
   * (RFC 5321, 4.5.2). smtp-server itself waits for the event loop at each such dot.
   */
  override _feedDataStream(chunk: Buffer, done: Done): void {
    const bytes = this.#undecided.length === 0 ? chunk : Buffer.concat([this.#undecided, chunk])
    this.#undecided = none
    const pieces: Array<Buffer> = []
    let start = 0
    let end = bytes.length
    for (let at = this.#lineWithDot(bytes, 0); at !== -1; at = this.#lineWithDot(bytes, at + 1)) {
      const mayEnd = this.#byte(bytes, at - 2) === carriageReturn
      if (bytes[at + 1] === dot) {
        pieces.push(bytes.subarray(start, at))
        start = at + 1
      } else if (mayEnd && bytes[at + 1] === carriageReturn && bytes[at + 2] === lineFeed) {
        pieces.push(bytes.subarray(start, at))
        const content = joined(pieces)
        this._countDataBytes(content.length)
        return this._endDataMode(content, bytes.subarray(at + 3), done)
      } else if (at + 1 === end || (mayEnd && bytes[at + 1] === carriageReturn && at + 2 === end)) {
        this.#undecided = bytes.subarray(at)
        end = at
      }
    }
    this.#before = Buffer.of(this.#byte(bytes, end - 2), this.#byte(bytes, end - 1))
    pieces.push(bytes.subarray(start, end))
    this.#pass(joined(pieces), done)
  }

  /** The index, at or after `from`, of the first dot that begins a line; -1 if there is none. */
  #lineWithDot(bytes: Buffer, from: number): number {
    if (from === 0 && bytes[0] === dot && this.#byte(bytes, -1) === lineFeed) return 0
    const feed = bytes.indexOf("\n.", Math.max(0, from - 1))
    return feed === -1 ? -1 : feed + 1
  }

  /** A byte of the message. The index is at least -2. */
  #byte(bytes: Buffer, at: number): number {
    return at < 0 ? this.#before[at + 2]! : bytes[at]!
  }

  /** Passes on content, and waits if its reader's buffer is full. */
  #pass(content: Buffer, done: Done): void {
    const stream = this._dataStream
    this._countDataBytes(content.length)
    if (content.length === 0 || !stream?.writable || stream.write(content) || stream.destroyed) return done()
    // A destroyed stream never emits `drain`, only `close`.
    const next = () => {
      stream.off("drain", next).off("close", next)
      done()
    }
    stream.on("drain", next).on("close", next)
  }
}

const joined = (pieces: ReadonlyArray<Buffer>): Buffer =>
  pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)

/** The index of the first line feed without a preceding carriage return (RFC 5321, 2.3.8); -1 if there is none. */
const bareLineFeed = (chunk: Buffer, afterReturn: boolean): number => {
  for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) {
    if (at === 0 ? !afterReturn : chunk[at - 1] !== carriageReturn) return at
  }
  return -1
}
