/**
 * Hashes of passwords that cost nothing, for tests of what is around them.
 *
 * @module
 */
import { Effect } from "effect"
import { makePasswordHasher } from "../../adapters/crypto/PasswordHasher.ts"
import { deriveKey } from "../../adapters/crypto/passwordKey.ts"

/** Computed on the thread of the test, with the least cost. */
export const quickHasher = makePasswordHasher({ ln: 4, r: 8, p: 1 }, (input) =>
  Effect.promise(async () => (await deriveKey(input)).value)
)
