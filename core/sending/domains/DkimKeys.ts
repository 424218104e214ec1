/**
 * Generates the DKIM keys of sending domains.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { KeyMaker } from "../../ports/KeyMaker.ts"
import { SecretBox } from "../../ports/SecretBox.ts"
import { type DkimAlgorithm, dkimPurpose, type SendingDomain } from "../../model/Domain.ts"
import { nextGeneration, selectorOf } from "./DomainRecords.ts"

/**
 * Each email is signed with both: some verifiers accept only RSA, and some prefer Ed25519 (docs/contributing/decisions.md 5).
 */
export const dkimAlgorithms: ReadonlyArray<DkimAlgorithm> = ["rsa", "ed25519"]

/**
 * Generates the next generation of a domain's keys, one for each algorithm. It is slow, so it must be called outside
 * transactions.
 */
export const makeDkimKeys = Effect.fn("DkimKeys.make")(function* (
  { domain, id, keys }: Pick<SendingDomain, "id" | "domain" | "keys">,
  state: "Active" | "Next"
) {
  const keyMaker = yield* KeyMaker
  const secrets = yield* SecretBox
  const createdAt = yield* Clock.currentTimeMillis
  const generation = nextGeneration(keys)
  return yield* Effect.forEach(
    dkimAlgorithms,
    Effect.fnUntraced(function* (algorithm) {
      const selector = selectorOf(id, generation, algorithm)
      const { privateKey, publicKey } = yield* keyMaker.make(algorithm)
      const sealedKey = yield* secrets.seal(privateKey, dkimPurpose({ domain, selector }))
      return { selector, algorithm, publicKey, sealedKey, state, createdAt, retiredAt: null }
    }),
    { concurrency: "unbounded" }
  )
})
