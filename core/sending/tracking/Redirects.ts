/**
 * Decides whether a visit to a tracked link is redirected. In a sandbox on a public base URL it is not, since a sandbox key
 * would otherwise be enough to send people anywhere under the installation's name.
 *
 * @module
 */
import { Cache, Context, Duration, Effect, Exit, Layer } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { isLoopbackUrl } from "../../shared/Network.ts"
import { readClickToken } from "./TrackingTokens.ts"

/** The maximum number of accounts whose mode is cached. */
const maxModes = 10_000

/** Decides whether tracked links redirect. */
export class Redirects extends Context.Service<Redirects>()("svc/sending/Redirects", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const crypto = yield* Crypto
    const keys = yield* InstallationKeys
    const publicEndpoint = yield* PublicEndpoint
    /** Whether an account is live, which never changes. */
    const modes = yield* Cache.makeWith(
      (accountId: string) => Effect.map(accounts.find([accountId]), ([account]) => account?.mode === "Live"),
      { capacity: maxModes, timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : 0) }
    )
    const isLocal = (): boolean => publicEndpoint.isLocal ?? isLoopbackUrl(publicEndpoint.baseUrl())

    return {
      /**
       * Whether the link of a valid token redirects: always in a live account, and in a sandbox only on a local base URL.
       * False while the database is unavailable and the account's mode is not cached; the visitor is then shown the
       * destination.
       */
      allows: Effect.fn("Redirects.allows")(
        function* (token: string) {
          if (isLocal()) return true
          const claim = yield* keys.prove(({ tracking }) => readClickToken({ crypto, keys: tracking }, token))
          return claim !== null && (yield* Cache.get(modes, claim.delivery.accountId))
        },
        Effect.catchTag("Unavailable", () => Effect.succeed(false))
      )
    }
  })
}) {
  static readonly layer = Layer.effect(Redirects, Redirects.make)
}
