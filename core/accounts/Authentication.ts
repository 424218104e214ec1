/**
 * Authenticates calls by API key: checks the key, its permission and its rate limit, in this order (401, 403, 429;
 * docs/contributing/decisions.md 2).
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import {
  type Authentication as Authenticated,
  type AdmissionRequest,
  ApiKeyStore
} from "../ports/ApiKeyStore.ts"
import { Crypto } from "../ports/Crypto.ts"
import { makeGroupCommit } from "../kernel/GroupCommit.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { isApiKey } from "./KeyFormat.ts"
import type { Mode } from "../model/Account.ts"
import type { Permission } from "../model/Permission.ts"

/** The state of a key's rate window. */
export interface RateState {
  /** The allowed calls per minute. */
  readonly limit: number
  readonly remaining: number
  /** Whole seconds to the end of the window, at least 1. */
  readonly resetSeconds: number
}

/** The result of authenticating a call. */
export type AuthResult =
  | { readonly _tag: "Unauthorized" }
  | { readonly _tag: "Forbidden"; readonly rate: RateState; readonly key?: KnownKey }
  | { readonly _tag: "RateLimited"; readonly rate: RateState; readonly key?: KnownKey }
  | {
      readonly _tag: "Authenticated"
      readonly accountId: string
      readonly keyId: string
      readonly rate: RateState
      readonly key?: KnownKey
    }

/** The API key of a call, even if the call is rejected; absent if no key is known. */
export interface KnownKey {
  readonly accountId: string
  readonly keyId: string
  readonly mode: Mode
}

/** The length of a rate window, milliseconds, aligned to the wall-clock minute (docs/contributing/decisions.md 2). */
export const windowMillis = 60_000

/** The start of the rate window that contains a time (epoch milliseconds). */
export const windowStart = (now: number): number => now - (now % windowMillis)

/** The most calls of one statement. */
const maxGroup = 1000

/** Authenticates calls that present an API key. */
export class Authentication extends Context.Service<
  Authentication,
  {
    /**
     * Authenticates a call that presents `key` and counts it in the key's rate window. `permission` is null for a call that needs
     * none. Concurrent calls share one statement. Unauthorized does not reveal whether a key is unknown, mistyped, revoked or
     * expired.
     */
    readonly authenticate: (
      key: string,
      permission: Permission | null,
      window: AdmissionRequest["window"]
    ) => Effect.Effect<AuthResult, Unavailable>
  }
>()("svc/accounts/Authentication") {
  static readonly layer = Layer.effect(
    Authentication,
    Effect.gen(function* () {
      const keys = yield* ApiKeyStore
      const crypto = yield* Crypto

      const submit = yield* makeGroupCommit<AdmissionRequest, AuthResult, never, Unavailable>({
        maxBatch: maxGroup,
        run: Effect.fnUntraced(function* (_key, requests) {
          const now = yield* Clock.currentTimeMillis
          const found = yield* keys.authenticate(requests, now)
          return found.map((authenticated) => Result.succeed(resultOf(authenticated, now)))
        })
      })

      return Authentication.of({
        authenticate: (key, permission, window) =>
          isApiKey(key)
            ? submit("", { hash: crypto.sha256Hex(key), permission, window })
            : Effect.succeed({ _tag: "Unauthorized" })
      })
    })
  )
}

/** The rate state after `count` calls in the window that contains `now`. */
export const rateState = (limit: number, count: number, now: number): RateState => ({
  limit,
  remaining: Math.max(0, limit - count),
  resetSeconds: Math.max(1, Math.ceil((windowStart(now) + windowMillis - now) / 1000))
})

const resultOf = (authenticated: Authenticated | null, now: number): AuthResult => {
  if (authenticated === null) return { _tag: "Unauthorized" }
  const { accountId, count, keyId, limit, mode, permitted } = authenticated
  const rate = rateState(limit, count, now)
  const key = { accountId, keyId, mode }
  if (!permitted) return { _tag: "Forbidden", rate, key }
  return count > limit
    ? { _tag: "RateLimited", rate, key }
    : { _tag: "Authenticated", accountId, keyId, rate, key }
}
