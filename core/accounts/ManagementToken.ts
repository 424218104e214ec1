/**
 * Verifies the operator's token: `SVC_ADMIN_TOKEN` where it is set, else the token created at the first start.
 *
 * @module
 */
import { Context, Effect, Layer, Redacted } from "effect"
import { Crypto } from "../ports/Crypto.ts"
import { InstallationStore } from "../ports/InstallationStore.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Verifies the operator's token. */
export class ManagementToken extends Context.Service<
  ManagementToken,
  {
    /** Whether a token is the operator's. Compares hashes in constant time. */
    readonly verify: (token: string) => Effect.Effect<boolean, Unavailable>
  }
>()("svc/accounts/ManagementToken") {
  /** `configured` replaces the token of the first start; null where none is configured. */
  static readonly layer = (configured: Redacted.Redacted | null) =>
    Layer.effect(
      ManagementToken,
      Effect.gen(function* () {
        const crypto = yield* Crypto
        const store = yield* InstallationStore
        const expected =
          configured === null
            ? Effect.map(store.get, (installation) => installation?.managementTokenHash ?? null)
            : Effect.succeed(crypto.sha256Hex(Redacted.value(configured)))
        return ManagementToken.of({
          verify: (token) =>
            Effect.map(
              expected,
              (hash) => hash !== null && crypto.constantTimeEquals(crypto.sha256Hex(token), hash)
            )
        })
      })
    )
}
