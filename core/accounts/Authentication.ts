/**
 * Lets calls in: the key, its permission, its rate (decisions 2, order of checks 401, 403, 429).
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
import type { Permission } from "../model/Permission.ts"

/** Where a key stands in its rate window. */
export interface RateState {
  /** Calls a minute. */
  readonly limit: number
  readonly remaining: number
  /** Whole seconds to the end of the window, at least 1. */
  readonly resetSeconds: number
}

/** The answer to a call that asks to come in. */
export type AuthResult =
  | { readonly _tag: "Unauthorized" }
  | { readonly _tag: "Forbidden"; readonly rate: RateState }
  | { readonly _tag: "RateLimited"; readonly rate: RateState }
  | {
      readonly _tag: "Authenticated"
      readonly accountId: string
      readonly keyId: string
      readonly rate: RateState
    }

/** The length of a rate window, aligned to the wall-clock minute (decisions 2). */
export const windowMillis = 60_000

/** Start of the rate window a time lies in. */
export const windowStart = (now: number): number => now - (now % windowMillis)

const maxGroup = 1000

/** Judges calls that present a key. */
export class Authentication extends Context.Service<
  Authentication,
  {
    /**
     * Judges a call that presents `key`. Calls that arrive together are looked up and counted in one statement.
     * An unknown, mistyped, revoked or expired key is Unauthorized, without difference.
     */
    readonly authenticate: (
      key: string,
      permission: Permission,
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
        run: Effect.fnUntraced(function* (_lane, requests) {
          const now = yield* Clock.currentTimeMillis
          const admissions = yield* keys.authenticate(requests, now)
          return admissions.map((admission) => Result.succeed(judge(admission, now)))
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

/** Where something stands that was counted `count` times in the window of `now`. */
export const rateState = (limit: number, count: number, now: number): RateState => ({
  limit,
  remaining: Math.max(0, limit - count),
  resetSeconds: Math.max(1, Math.ceil((windowStart(now) + windowMillis - now) / 1000))
})

const judge = (admission: Authenticated | null, now: number): AuthResult => {
  if (admission === null) return { _tag: "Unauthorized" }
  const { accountId, count, keyId, limit, permitted } = admission
  const rate = rateState(limit, count, now)
  if (!permitted) return { _tag: "Forbidden", rate }
  return count > limit ? { _tag: "RateLimited", rate } : { _tag: "Authenticated", accountId, keyId, rate }
}
