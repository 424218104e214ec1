/**
 * Reads commands as smtp-server does, but by RFC 5321, 2.3.8: smtp-server takes a bare line feed for the end of a line,
 * and a client that is tricked into sending one could smuggle commands. `Intake` checks the content of messages.
 *
 * @module
 */
import { SMTPStream } from "smtp-server/lib/smtp-stream.js"

type Done = (error?: Error | null) => void

const lineFeed = 0x0a
const carriageReturn = 0x0d
const dot = 0x2e
/** The bytes before a dot that may belong to the end of a message, and those that smtp-server holds back for the next chunk. */
const heldBytes = 4
const none = Buffer.alloc(0)

/** Reads commands; does not run a line that ends in a bare line feed. */
export class CommandStream extends SMTPStream {
  readonly #onBareLineFeed: () => void

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
    // The lines before it are run; one of them may begin a message, whose content the rest then is.
    const remaining = chunk.subarray(lineStart)
    return super._write(chunk.subarray(0, lineStart), encoding, (error) =>
      error == null ? this._write(remaining, encoding, next) : next(error)
    )
  }

  /** Passes on what comes before the next line that begins with a dot: smtp-server would look at each of its bytes. */
  override _feedDataStream(chunk: Buffer, done: Done): void {
    const held = this._lastBytes || none
    const line = chunk.indexOf("\n.")
    const end = (line === -1 ? chunk.length : line) - heldBytes
    const stream = this._dataStream
    if (this.#mayBeginByDot(held, chunk) || end <= 0 || !stream?.writable)
      return super._feedDataStream(chunk, done)
    this._lastBytes = false
    this._countDataBytes(held.length + end)
    if (held.length > 0) stream.write(held)
    const next = () => {
      stream.off("drain", next).off("close", next)
      super._feedDataStream(chunk.subarray(end), done)
    }
    if (stream.write(chunk.subarray(0, end)) || stream.destroyed) next()
    else stream.on("drain", next).on("close", next)
  }

  /** Whether a line may begin with a dot that is among the bytes held, or is the first of a chunk. */
  #mayBeginByDot(held: Buffer, chunk: Buffer): boolean {
    if (this._atDataStart) return held.includes(dot) || chunk[0] === dot
    return held.includes("\n.") || (chunk[0] === dot && held.at(-1) === lineFeed)
  }
}

/** The index of the first line feed without a carriage return before it (RFC 5321, 2.3.8); -1 for none. */
const bareLineFeed = (chunk: Buffer, afterReturn: boolean): number => {
  for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) {
    if (at === 0 ? !afterReturn : chunk[at - 1] !== carriageReturn) return at
  }
  return -1
}
