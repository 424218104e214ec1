/**
 * Keys derived from the installation's secret, one for each use, so that what one signs means nothing to the other.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { Crypto } from "../ports/Crypto.ts"
import { InstallationStore } from "../ports/InstallationStore.ts"
import { Unavailable } from "../shared/Problem.ts"

/** A key for each use. */
export interface Keys {
  readonly links: Uint8Array
  readonly addresses: Uint8Array
  readonly reports: Uint8Array
  readonly tracking: Uint8Array
  readonly flows: Uint8Array
}

/** Keys derived from the installation's secret. */
export class InstallationKeys extends Context.Service<
  InstallationKeys,
  {
    /**
     * The keys: `links` signs the tokens of hosted pages, `addresses` hashes the addresses of erased people,
     * `reports` proves the addresses that reports of receiving servers come back to, `tracking` signs what counts opens
     * and clicks, `flows` makes the keys that sign the requests of flows. Read once, since the secret never changes; `Unavailable` before the first start is over.
     */
    readonly get: Effect.Effect<Keys, Unavailable>
  }
>()("svc/accounts/InstallationKeys") {
  static readonly layer = Layer.effect(
    InstallationKeys,
    Effect.gen(function* () {
      const crypto = yield* Crypto
      const instances = yield* InstallationStore
      const encoder = new TextEncoder()
      let known: Keys | null = null

      const read = Effect.flatMap(instances.get, (instance) => {
        if (instance === null) return Effect.fail(new Unavailable({ cause: "the first start is not over" }))
        const secret = encoder.encode(instance.linkSecret)
        known = {
          links: crypto.hmacSha256(secret, "links"),
          addresses: crypto.hmacSha256(secret, "addresses"),
          reports: crypto.hmacSha256(secret, "reports"),
          tracking: crypto.hmacSha256(secret, "tracking"),
          flows: crypto.hmacSha256(secret, "flows")
        }
        return Effect.succeed(known)
      })
      return InstallationKeys.of({
        get: Effect.suspend(() => (known === null ? read : Effect.succeed(known)))
      })
    })
  )
}
