/**
 * Derives the installation's keys from its secret, one for each use, so that a signature made for one use is invalid
 * for every other.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { Crypto } from "../ports/Crypto.ts"
import { InstallationStore } from "../ports/InstallationStore.ts"
import { Unavailable } from "../shared/Problem.ts"

/** A key for each use. */
export interface Keys {
  /** Signs the tokens of hosted pages. */
  readonly links: Uint8Array
  /** Hashes the addresses of erased people. */
  readonly addresses: Uint8Array
  /** Signs the return addresses of emails, to which receiving servers send their reports. */
  readonly reports: Uint8Array
  /** Signs the links that count opens and clicks. */
  readonly tracking: Uint8Array
  /** Derives the keys that sign the requests of flows. */
  readonly flows: Uint8Array
}

/** The keys of the installation. */
export class InstallationKeys extends Context.Service<InstallationKeys>()("svc/accounts/InstallationKeys", {
  make: Effect.gen(function* () {
    const crypto = yield* Crypto
    const store = yield* InstallationStore
    const encoder = new TextEncoder()
    let cached: Keys | null = null

    const read = Effect.flatMap(store.get, (installation) => {
      if (installation === null) {
        return Effect.fail(new Unavailable({ cause: "the first start has not completed" }))
      }
      const secret = encoder.encode(installation.linkSecret)
      cached = {
        links: crypto.hmacSha256(secret, "links"),
        addresses: crypto.hmacSha256(secret, "addresses"),
        reports: crypto.hmacSha256(secret, "reports"),
        tracking: crypto.hmacSha256(secret, "tracking"),
        flows: crypto.hmacSha256(secret, "flows")
      }
      return Effect.succeed(cached)
    })
    return {
      /** The keys. Read once, since the secret never changes; `Unavailable` before the first start has completed. */
      get: Effect.suspend(() => (cached === null ? read : Effect.succeed(cached)))
    }
  })
}) {
  static readonly layer = Layer.effect(InstallationKeys, InstallationKeys.make)
}
