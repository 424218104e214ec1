/**
 * A password hasher with minimal cost, for tests that are not about hashing.
 *
 * @module
 */
import { Effect } from "effect"
import { makePasswordHasher } from "../../adapters/crypto/PasswordHasher.ts"
import { deriveKey } from "../../adapters/crypto/passwordKey.ts"

/** Computes hashes on the test's thread with the lowest cost. */
export const quickHasher = makePasswordHasher({ ln: 4, r: 8, p: 1 }, (input) =>
  Effect.promise(async () => (await deriveKey(input)).value)
)
