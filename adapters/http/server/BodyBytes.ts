/**
 * Collects the bytes of a body that comes in pieces.
 *
 * @module
 */

/** How many pieces are copied together. */
const maxLoose = 256
/** Pieces that are smaller than this on average are copied together, in bytes. */
const smallPiece = 1024

/**
 * The bytes of a body. Small pieces are copied together: by itself one of a single byte takes some hundred bytes, and keeps the
 * packet that it came in.
 */
export class BodyBytes {
  /** How many bytes there are. */
  size = 0
  readonly #kept: Array<Uint8Array> = []
  #loose: Array<Uint8Array> = []
  #looseSize = 0

  /** Adds a piece, which must not change afterwards. */
  add(piece: Uint8Array): void {
    this.size += piece.length
    this.#looseSize += piece.length
    this.#loose.push(piece)
    if (this.#loose.length < maxLoose) return
    if (this.#looseSize < maxLoose * smallPiece) this.#kept.push(Buffer.concat(this.#loose, this.#looseSize))
    else this.#kept.push(...this.#loose)
    this.#loose = []
    this.#looseSize = 0
  }

  /** All bytes, which are not copied where they came in one piece. */
  whole(): Uint8Array {
    const pieces = [...this.#kept, ...this.#loose]
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, this.size)
  }
}
