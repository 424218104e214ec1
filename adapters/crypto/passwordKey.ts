/**
 * Derives the key of a password with scrypt (RFC 7914) in a thread of its own.
 *
 * @module
 */
import { scryptSync } from "node:crypto"
import type { ThreadFunction, ThreadTask } from "../../core/ports/Threads.ts"

/** The cost of a key: 2^`ln` is N. */
export interface ScryptCost {
  readonly ln: number
  readonly r: number
  readonly p: number
}

/** The data from which a key is derived. */
export interface KeyInput {
  readonly password: string
  readonly salt: Uint8Array
  readonly cost: ScryptCost
}

/** The length of a key, in bytes. */
const keyBytes = 32

/** Declares {@link deriveKey} as a task for threads. */
export const deriveTask: ThreadTask<KeyInput, Uint8Array> = {
  module: import.meta.url,
  name: "deriveKey",
  // A hundred times the duration with the current cost.
  maxMillis: 30_000
}

/** Derives a key. A thread calls it by name. */
export const deriveKey: ThreadFunction<KeyInput, Uint8Array> = ({ cost: { ln, p, r }, password, salt }) => {
  const options = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r }
  return {
    value: new Uint8Array(scryptSync(password.normalize("NFKC"), salt, keyBytes, options)),
    transfer: []
  }
}
