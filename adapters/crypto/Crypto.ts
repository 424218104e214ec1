/**
 * The Crypto port by `node:crypto`, which Node and Bun both have.
 *
 * @module
 */
import { Layer } from "effect"
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { Crypto } from "../../core/ports/Crypto.ts"

const digest = (text: string) => createHash("sha256").update(text, "utf8").digest()

/** Strong randomness and the platform's hashes. */
export const layer = Layer.succeed(Crypto, {
  randomBytes: (size) => randomBytes(size),
  sha256Hex: (text) => createHash("sha256").update(text, "utf8").digest("hex"),
  hmacSha256: (key, text) => createHmac("sha256", key).update(text, "utf8").digest(),
  // Digests have one length, so that not even the lengths of the texts show.
  constantTimeEquals: (a, b) => timingSafeEqual(digest(a), digest(b))
})
