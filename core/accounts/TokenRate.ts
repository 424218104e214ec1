/**
 * Limits the rate of tokens that are not API keys, such as those of stores: each token has the account's limit of calls
 * a minute to itself (docs/contributing/decisions.md 2).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AccountStore } from "../ports/AccountStore.ts"
import { RateLimits } from "../ports/RateLimits.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { type RateState, rateState, windowStart } from "./Authentication.ts"

/** The state of a token's rate window after a call. */
export interface CountedCall {
  /** Whether the call exceeds the limit. */
  readonly isOver: boolean
  readonly rate: RateState
}

/** Counts the calls of tokens. */
export class TokenRate extends Context.Service<
  TokenRate,
  {
    /**
     * Counts a call and returns the state of the token's window; null when the account does not exist. Two statements.
     *
     * @param subject the token's name within the account, such as `store:<id>`
     */
    readonly count: (accountId: string, subject: string) => Effect.Effect<CountedCall | null, Unavailable>
  }
>()("svc/accounts/TokenRate") {
  static readonly layer = Layer.effect(
    TokenRate,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const limits = yield* RateLimits

      return TokenRate.of({
        count: Effect.fn("TokenRate.count")(function* (accountId, subject) {
          const now = yield* Clock.currentTimeMillis
          const [[account], [count]] = yield* Effect.all(
            [
              accounts.find([accountId]),
              limits.count([{ accountId, subject, windowStart: windowStart(now), amount: 1 }])
            ],
            { concurrency: 2 }
          )
          if (account === undefined || count === undefined) return null
          const limit = account.settings.rateLimitPerMinute
          return { isOver: count > limit, rate: rateState(limit, count, now) }
        })
      })
    })
  )
}
