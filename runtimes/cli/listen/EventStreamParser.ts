/**
 * Parses Server-Sent Events as they arrive (WHATWG HTML, 9.2.6).
 *
 * @module
 */

/** An event of a stream. */
export interface ServerSentEvent {
  readonly event: string
  readonly data: string
}

/** A parser, with the incomplete parts of a stream that have arrived. */
export class EventStreamParser {
  #rest = ""
  #event = ""
  #data: Array<string> = []
  /** The id after which the stream can be resumed; empty before the first event. */
  lastId = ""

  /** Takes a piece of the stream. Returns the events that it completes. */
  take(piece: string): ReadonlyArray<ServerSentEvent> {
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop()!
    return lines.flatMap((line) => this.#line(line) ?? [])
  }

  #line(line: string): ServerSentEvent | null {
    if (line === "") return this.#dispatch()
    const cut = line.indexOf(":")
    const name = cut === -1 ? line : line.slice(0, cut)
    const value = cut === -1 ? "" : line.slice(cut + 1).replace(/^ /, "")
    if (name === "event") this.#event = value
    if (name === "data") this.#data.push(value)
    if (name === "id" && !value.includes("\0")) this.lastId = value
    return null
  }

  #dispatch(): ServerSentEvent | null {
    const event = { event: this.#event === "" ? "message" : this.#event, data: this.#data.join("\n") }
    const isEmpty = this.#data.length === 0
    this.#event = ""
    this.#data = []
    return isEmpty ? null : event
  }
}
