/**
 * Reads the replies of a mail server from the bytes that it sends (RFC 5321, 4.2). Never fails, and is bounded, for any bytes.
 *
 * @module
 */

/** The maximum number of replies that wait to be taken. It is more than any group of commands that is sent. */
const maxWaiting = 8

/** Decodes UTF-8 from a string with one character for each byte. Bytes that are not UTF-8 are decoded as Latin-1. */
const decoded = (bytes: string): string => {
  const text = Buffer.from(bytes, "latin1").toString("utf8")
  return text.includes("\ufffd") ? bytes : text
}

/** Reads the replies of one connection. */
export class ReplyReader {
  readonly #maxBytes: number
  readonly #waiting: Array<string> = []
  /** The lines received so far of a reply with several lines. */
  #begun = ""
  /** The bytes after the last line end. */
  #rest = ""

  /** @param maxBytes the longest reply that is read */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether every received byte belonged to a reply that was taken. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#begun === "" && this.#rest === ""
  }

  /** Whether a reply was received and not yet taken. */
  get hasReply(): boolean {
    return this.#waiting.length > 0
  }

  /** Reads bytes. Returns false if a reply is too long, or too many are waiting. */
  read(chunk: Uint8Array): boolean {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1")
    // A line is parsed once, at its end. Parsing it with each small chunk would take quadratic time.
    if (!text.includes("\n")) {
      this.#rest += text
      return this.#begun.length + this.#rest.length <= this.#maxBytes
    }
    const lines = (this.#rest + text).split(/\r?\n/)
    this.#rest = lines.pop()!
    for (const line of lines) {
      this.#begun += this.#begun === "" ? line : `\n${line}`
      if (/^\d+-/.test(line)) {
        if (this.#begun.length > this.#maxBytes) return false
      } else this.#finish()
    }
    return this.#waiting.length <= maxWaiting && this.#begun.length + this.#rest.length <= this.#maxBytes
  }

  /** Ends the input. A server that rejects the connection and closes it may omit the last line end. */
  close(): void {
    if (!/^[45]\d\d[ -]/.test(this.#rest)) return
    this.#begun = this.#rest
    this.#finish()
  }

  /** Takes the oldest reply, with its lines joined by line feeds; null if there is none. */
  take(): string | null {
    return this.#waiting.shift() ?? null
  }

  #finish(): void {
    // An empty line is not a reply.
    if (this.#begun.trim() !== "") this.#waiting.push(decoded(this.#begun))
    this.#begun = ""
  }
}
