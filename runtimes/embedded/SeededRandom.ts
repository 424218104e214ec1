/**
 * Generates random bytes and numbers from a seed, for a deterministic service. Must never be used for real secrets.
 *
 * @module
 */
import { createHash } from "node:crypto"

/** The values of a pseudo-random sequence. */
export interface SeededRandom {
  /** The next `size` bytes. */
  readonly bytes: (size: number) => Uint8Array
  /** At least 0, less than 1. */
  readonly nextDoubleUnsafe: () => number
  /** Any safe integer. */
  readonly nextIntUnsafe: () => number
}

/** The sequence of a seed: the SHA-256 of the seed and a counter, block after block. */
export const makeSeededRandom = (seed: string): SeededRandom => {
  let block = Buffer.alloc(0)
  let used = 0
  let count = 0
  const bytes = (size: number): Uint8Array => {
    const drawn = new Uint8Array(size)
    for (let index = 0; index < size; index++) {
      if (used === block.length) {
        block = createHash("sha256").update(`${seed} ${count++}`).digest()
        used = 0
      }
      drawn[index] = block[used++]!
    }
    return drawn
  }
  /** Uses 53 bits, which a number can represent exactly. */
  const nextDoubleUnsafe = (): number => {
    const drawn = Buffer.from(bytes(7))
    return ((drawn[0]! & 0x1f) * 2 ** 48 + drawn.readUIntBE(1, 6)) / 2 ** 53
  }
  return {
    bytes,
    nextDoubleUnsafe,
    nextIntUnsafe: () => Math.floor((nextDoubleUnsafe() * 2 - 1) * Number.MAX_SAFE_INTEGER)
  }
}
