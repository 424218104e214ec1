/**
 * Encodes a message for DATA (RFC 5321, 4.5.2): a dot before each dot that begins a line, and CRLF for every line end.
 *
 * @module
 */

const chunkBytes = 65_536
const lineFeed = 0x0a
const carriageReturn = 0x0d
const dot = 0x2e

/** A bare CR or LF becomes CRLF, because a lax server could take a line that it ends for the end of the message. */
const inserted = {
  lineFeed: Buffer.from("\n"),
  lineFeedAndDot: Buffer.from("\n."),
  carriageReturn: Buffer.from("\r"),
  dot: Buffer.from(".")
}

/** The bytes to insert between two bytes; null if there are none. `before` is -1 at the beginning of a message. */
const between = (before: number, byte: number): Buffer | null => {
  if (before === carriageReturn && byte !== lineFeed)
    return byte === dot ? inserted.lineFeedAndDot : inserted.lineFeed
  if (byte === lineFeed) return before === carriageReturn ? null : inserted.carriageReturn
  return byte === dot && (before === lineFeed || before === -1) ? inserted.dot : null
}

/** The encoded bytes of a message, chunk by chunk. */
export class MessageData {
  readonly #raw: Uint8Array
  #at = 0

  constructor(raw: Uint8Array) {
    this.#raw = raw
  }

  /** The next bytes, which encode at most 65,536 bytes of the message; null after all have been taken. */
  next(): Uint8Array | null {
    const raw = this.#raw
    if (this.#at >= raw.length) return null
    const end = Math.min(this.#at + chunkBytes, raw.length)
    const parts: Array<Uint8Array> = []
    let from = this.#at
    let before = from === 0 ? -1 : raw[from - 1]!
    for (let at = from; at < end; at++) {
      const byte = raw[at]!
      // Most bytes neither begin nor end a line.
      if (byte === lineFeed || byte === dot || before === carriageReturn) {
        const insert = between(before, byte)
        if (insert !== null) {
          parts.push(raw.subarray(from, at), insert)
          from = at
        }
      }
      before = byte
    }
    this.#at = end
    const last = raw.subarray(from, end)
    return parts.length === 0 ? last : Buffer.concat([...parts, last])
  }

  /** The bytes that end the message, to be sent after all others. */
  end(): Uint8Array {
    const last = this.#raw.at(-1)
    return Buffer.from(last === lineFeed ? ".\r\n" : last === carriageReturn ? "\n.\r\n" : "\r\n.\r\n")
  }
}
