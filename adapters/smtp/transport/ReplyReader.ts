/**
 * Reads the replies of a mail server off the bytes it sends (RFC 5321, 4.2). Total and bounded, whatever they are.
 *
 * @module
 */

/** Replies that may wait to be taken: more than any group of commands has. */
const maxWaiting = 8

/** The bytes as UTF-8; each a character where they are none, so that nothing of them is lost. */
const decoded = (bytes: string): string => {
  const text = Buffer.from(bytes, "latin1").toString("utf8")
  return text.includes("\ufffd") ? bytes : text
}

/** A reader of one connection's replies. */
export class ReplyReader {
  readonly #maxBytes: number
  readonly #waiting: Array<string> = []
  /** The lines so far of a reply that goes on. */
  #begun = ""
  /** What came after the last line end. */
  #rest = ""

  /** @param maxBytes a reply that is longer and has still not ended will not be waited for */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether nothing is left of what came, not even a part of a reply. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#begun === "" && this.#rest === ""
  }

  /** Whether a reply waits to be taken. */
  get hasReply(): boolean {
    return this.#waiting.length > 0
  }

  /** Reads on; false when a reply does not end, or there are too many. */
  read(chunk: Uint8Array): boolean {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1")
    // A line is only looked at once its end is there: in small pieces, a long one would be gone through for each.
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

  /** To be called when no more will come: a server that refuses and is gone may have left out the end of the line. */
  close(): void {
    if (!/^[45]\d\d[ -]/.test(this.#rest)) return
    this.#begun = this.#rest
    this.#finish()
  }

  /** Takes the first reply that waits, its lines joined by line feeds; null for none. */
  take(): string | null {
    return this.#waiting.shift() ?? null
  }

  #finish(): void {
    // An empty line answers nothing.
    if (this.#begun.trim() !== "") this.#waiting.push(decoded(this.#begun))
    this.#begun = ""
  }
}
