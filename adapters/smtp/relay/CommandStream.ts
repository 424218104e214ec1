/**
 * smtp-server's reader of commands, held to RFC 5321, 2.3.8: it takes a bare line feed for the end of a line, and a
 * client that is made to send one could smuggle commands. The content of messages is the intake's matter.
 *
 * @module
 */
import { SMTPStream } from "smtp-server/lib/smtp-stream.js"

type Done = (error?: Error | null) => void

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Reads commands; a line that ends in a bare line feed is not run. */
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
    // What comes before it counts; it may also begin a message, of which this is then the content.
    const rest = chunk.subarray(lineStart)
    return super._write(chunk.subarray(0, lineStart), encoding, (error) =>
      error == null ? this._write(rest, encoding, next) : next(error)
    )
  }
}

/** Where the first line feed is that no carriage return precedes; -1 for nowhere. */
const bareLineFeed = (chunk: Buffer, afterReturn: boolean): number => {
  for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) {
    if (at === 0 ? !afterReturn : chunk[at - 1] !== carriageReturn) return at
  }
  return -1
}
