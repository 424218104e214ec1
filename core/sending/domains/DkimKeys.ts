/**
 * Makes the DKIM keys of sending domains.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { KeyMaker } from "../../ports/KeyMaker.ts"
import { SecretBox } from "../../ports/SecretBox.ts"
import { type DkimAlgorithm, type DkimKey, dkimPurpose, type SendingDomain } from "../../model/Domain.ts"
import { nextGeneration, selectorOf } from "./DomainRecords.ts"

/** Both sign: what takes only RSA is served, and so is what prefers Ed25519 (decisions 5). */
const algorithms: ReadonlyArray<DkimAlgorithm> = ["rsa", "ed25519"]

/** A function that makes the next generation of a domain's keys. Takes a while: to be called in no transaction. */
export const makeDkimKeys = Effect.gen(function* () {
  const keyMaker = yield* KeyMaker
  const secrets = yield* SecretBox
  return Effect.fn("DkimKeys.make")(function* (
    { domain, id, keys }: Pick<SendingDomain, "id" | "domain" | "keys">,
    state: "Active" | "Next"
  ) {
    const createdAt = yield* Clock.currentTimeMillis
    const generation = nextGeneration(keys)
    return yield* Effect.forEach(
      algorithms,
      Effect.fnUntraced(function* (algorithm) {
        const selector = selectorOf(id, generation, algorithm)
        const { privateKey, publicKey } = yield* keyMaker.make(algorithm)
        const sealedKey = yield* secrets.seal(privateKey, dkimPurpose({ domain, selector }))
        return { selector, algorithm, publicKey, sealedKey, state, createdAt, retiredAt: null } as DkimKey
      }),
      { concurrency: "unbounded" }
    )
  })
})
