/**
 * Reads the replies of a mail server from the bytes it sends (RFC 5321, 4.2). Total and bounded for any bytes.
 *
 * @module
 */

/** Replies that may wait to be taken: more than any group of commands is sent. */
const maxWaiting = 8

/** Decodes UTF-8, given a character for each byte; bytes that are not UTF-8 are returned as Latin-1. */
const decoded = (bytes: string): string => {
  const text = Buffer.from(bytes, "latin1").toString("utf8")
  return text.includes("\ufffd") ? bytes : text
}

/** Reads the replies of one connection. */
export class ReplyReader {
  readonly #maxBytes: number
  readonly #waiting: Array<string> = []
  /** The lines so far of a reply of several lines. */
  #begun = ""
  /** The bytes after the last line end. */
  #rest = ""

  /** @param maxBytes the longest reply that is read */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether every byte that came was part of a reply that was taken. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#begun === "" && this.#rest === ""
  }

  /** Whether a reply has come that was not taken yet. */
  get hasReply(): boolean {
    return this.#waiting.length > 0
  }

  /** Reads bytes; false when a reply is too long, or too many wait. */
  read(chunk: Uint8Array): boolean {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1")
    // A line is parsed once, when its end has come: parsing it at each small chunk would take quadratic time.
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

  /** Ends the input: a server that rejects and closes may have left out the last line end. */
  close(): void {
    if (!/^[45]\d\d[ -]/.test(this.#rest)) return
    this.#begun = this.#rest
    this.#finish()
  }

  /** Takes the oldest reply, its lines joined by line feeds; null for none. */
  take(): string | null {
    return this.#waiting.shift() ?? null
  }

  #finish(): void {
    // An empty line is no reply.
    if (this.#begun.trim() !== "") this.#waiting.push(decoded(this.#begun))
    this.#begun = ""
  }
}
