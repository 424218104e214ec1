/**
 * Implements the Crypto port with `node:crypto`, which Node and Bun both have.
 *
 * @module
 */
import { Layer } from "effect"
import {
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual
} from "node:crypto"
import { Crypto } from "../../core/ports/Crypto.ts"

const digest = (text: string) => createHash("sha256").update(text, "utf8").digest()

/** Keys are imported once, because an HMAC with a raw key takes Node many times as long. */
const keys = new WeakMap<Uint8Array, KeyObject>()

const keyOf = (bytes: Uint8Array): KeyObject => {
  const known = keys.get(bytes)
  if (known !== undefined) return known
  const key = createSecretKey(bytes)
  keys.set(bytes, key)
  return key
}

/** Strong randomness and the platform's hashes. */
export const layer = Layer.succeed(Crypto, {
  randomBytes: (size) => randomBytes(size),
  // Strings are hashed as UTF-8.
  sha256Hex: (data) => createHash("sha256").update(data).digest("hex"),
  hmacSha256: (key, data) => createHmac("sha256", keyOf(key)).update(data).digest(),
  // The digests have equal lengths, so the time does not depend on the lengths of the strings either.
  constantTimeEquals: (a, b) => timingSafeEqual(digest(a), digest(b))
})
