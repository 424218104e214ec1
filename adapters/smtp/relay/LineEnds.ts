/**
 * Checks the line ends of a message's content. In SMTP only CR LF ends a line (RFC 5321, 2.3.8). A program that writes only LF,
 * as with Python's `smtplib`, which passes bytes on, ends every line with it. A message that mixes both is rejected, because
 * servers disagree about where its lines end, which allows messages to be smuggled.
 *
 * @module
 */

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Counts the line ends of a message as its bytes arrive. */
export class LineEnds {
  /** The number of line feeds without a preceding carriage return. */
  bare = 0
  #pairs = 0
  #last = -1

  /** Counts the line ends in the next bytes. */
  read(chunk: Uint8Array): void {
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) {
      if ((at === 0 ? this.#last : chunk[at - 1]) === carriageReturn) this.#pairs++
      else this.bare++
    }
    this.#last = chunk.at(-1) ?? this.#last
  }

  /** Whether both kinds certainly occur. A single CR LF may also be the end of a message whose lines end with LF. */
  get areMixed(): boolean {
    return this.bare > 0 && this.#pairs > 1
  }

  /** Whether both kinds occur, if the message has been read completely. */
  get areMixedAtEnd(): boolean {
    return this.bare > 0 && this.#pairs > (this.#last === lineFeed ? 1 : 0)
  }
}

/**
 * Converts a message whose lines end with LF, except perhaps the last one, to CR LF. If the last line has its LF, the CR LF that
 * a client adds before the final dot is not a line of the message.
 *
 * @param bare the number of line feeds without a preceding carriage return
 */
export const withCrlf = (message: Buffer, bare: number): Buffer => {
  const isEndAdded = message.length > 2 && message.toString("latin1", message.length - 3) === "\n\r\n"
  const lines = isEndAdded ? message.subarray(0, -2) : message
  const result = Buffer.allocUnsafe(lines.length + bare)
  let length = 0
  let before = -1
  for (const byte of lines) {
    if (byte === lineFeed && before !== carriageReturn) result[length++] = carriageReturn
    result[length++] = byte
    before = byte
  }
  return result.subarray(0, length)
}

/**
 * Converts the line ends CR LF, CR CR LF (which some programs make of CR LF) and CR to LF. It works in the bytes of the given
 * text, which it overwrites.
 */
export const withLineFeeds = (text: Buffer): Buffer => {
  let length = text.indexOf(carriageReturn)
  if (length === -1) return text
  for (let at = length; at !== text.length;) {
    const next = text.indexOf(carriageReturn, at + 1)
    const end = next === -1 ? text.length : next
    const isOfPair = text[next === at + 1 ? at + 2 : at + 1] === lineFeed
    if (!isOfPair) text[at] = lineFeed
    const start = isOfPair ? at + 1 : at
    text.copyWithin(length, start, end)
    length += end - start
    at = end
  }
  return text.subarray(0, length)
}
