/**
 * A message on its way to a connection.
 *
 * @module
 */
import { Readable } from "node:stream"

const chunkBytes = 65_536

/**
 * The bytes of a message, which end only when they are told to: `onStart` runs when the first is asked for, `onBody`
 * when all of them are taken and the end is asked for.
 */
export class MessageStream extends Readable {
  readonly #raw: Uint8Array
  readonly #onStart: () => void
  readonly #onBody: () => void
  #at = 0
  #started = false

  constructor(raw: Uint8Array, onStart: () => void, onBody: () => void) {
    super({ highWaterMark: chunkBytes })
    this.#raw = raw
    this.#onStart = onStart
    this.#onBody = onBody
  }

  override _read(): void {
    if (!this.#started) {
      this.#started = true
      this.#onStart()
    }
    if (this.#at < this.#raw.length) {
      const next = Math.min(this.#at + chunkBytes, this.#raw.length)
      this.push(this.#raw.subarray(this.#at, next))
      this.#at = next
    } else this.#onBody()
  }

  /** Lets the end of the message go. */
  release(): void {
    this.push(null)
  }
}
