/**
 * Generates the DKIM keys of sending domains.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { KeyMaker } from "../../ports/KeyMaker.ts"
import { SecretBox } from "../../ports/SecretBox.ts"
import { type DkimAlgorithm, type DkimKey, dkimPurpose, type SendingDomain } from "../../model/Domain.ts"
import { nextGeneration, selectorOf } from "./DomainRecords.ts"

/** Each email is signed with both: some verifiers accept only RSA, some prefer Ed25519 (docs/contributing/decisions.md 5). */
const algorithms: ReadonlyArray<DkimAlgorithm> = ["rsa", "ed25519"]

/** Generates DKIM keys. */
export class DkimKeys extends Context.Service<
  DkimKeys,
  {
    /** Generates the next generation of a domain's keys, one of each algorithm. Slow: call it outside transactions. */
    readonly make: (
      domain: Pick<SendingDomain, "id" | "domain" | "keys">,
      state: "Active" | "Next"
    ) => Effect.Effect<ReadonlyArray<DkimKey>>
  }
>()("svc/sending/DkimKeys") {
  static readonly layer = Layer.effect(
    DkimKeys,
    Effect.gen(function* () {
      const keyMaker = yield* KeyMaker
      const secrets = yield* SecretBox
      return DkimKeys.of({
        make: Effect.fn("DkimKeys.make")(function* ({ domain, id, keys }, state) {
          const createdAt = yield* Clock.currentTimeMillis
          const generation = nextGeneration(keys)
          return yield* Effect.forEach(
            algorithms,
            Effect.fnUntraced(function* (algorithm) {
              const selector = selectorOf(id, generation, algorithm)
              const { privateKey, publicKey } = yield* keyMaker.make(algorithm)
              const sealedKey = yield* secrets.seal(privateKey, dkimPurpose({ domain, selector }))
              return { selector, algorithm, publicKey, sealedKey, state, createdAt, retiredAt: null }
            }),
            { concurrency: "unbounded" }
          )
        })
      })
    })
  )
}
