/**
 * The line ends of a message's content. CR LF is the only one that ends a line of SMTP (RFC 5321, 2.3.8); a program that
 * writes LF alone, as Python's `smtplib` passes bytes on, ends every line with it. A message that mixes both is rejected: servers
 * differ in where its lines end, which is how messages are smuggled.
 *
 * @module
 */

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Counts the line ends of a message as its bytes arrive. */
export class LineEnds {
  /** The line feeds without a carriage return before them. */
  bare = 0
  #pairs = 0
  #last = -1

  /** Counts those of the next bytes. */
  read(chunk: Uint8Array): void {
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) {
      if ((at === 0 ? this.#last : chunk[at - 1]) === carriageReturn) this.#pairs++
      else this.bare++
    }
    this.#last = chunk.at(-1) ?? this.#last
  }

  /** Whether both kinds certainly occur: the end of the message after lines that end with LF is one CR LF. */
  get areMixed(): boolean {
    return this.bare > 0 && this.#pairs > 1
  }

  /** Whether both kinds occur in a message that is read whole. */
  get areMixedAtEnd(): boolean {
    return this.bare > 0 && this.#pairs > (this.#last === lineFeed ? 1 : 0)
  }
}

/**
 * A message of lines that end with LF, the last one perhaps with CR LF, with CR LF at each. The CR LF that a client adds before
 * the final dot, after a last line that has its LF, is no line of the message.
 *
 * @param bare how many line feeds have no carriage return before them
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
 * A text with LF at the end of each line instead of CR LF, CR CR LF, which some programs make of CR LF, or CR alone: in the
 * bytes of the given text, which it overwrites.
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
