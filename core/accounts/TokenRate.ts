/**
 * Limits the rate of tokens that are not API keys, such as those of stores. The account's limit of calls per minute applies to
 * each token separately (docs/contributing/decisions.md 2).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AccountStore } from "../ports/AccountStore.ts"
import { RateLimits } from "../ports/RateLimits.ts"
import { rateState, windowStart } from "./Authentication.ts"

/** Counts the calls of tokens. */
export class TokenRate extends Context.Service<TokenRate>()("svc/accounts/TokenRate", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const limits = yield* RateLimits

    return {
      /**
       * Counts a call. Returns whether it exceeds the limit, and the state of the token's window; null if the account does not
       * exist, or its company is deleted (docs/contributing/people.md 7). Two statements.
       *
       * @param subject the token's name within the account, such as `store:<id>`
       */
      count: Effect.fn("TokenRate.count")(function* (accountId: string, subject: string) {
        const now = yield* Clock.currentTimeMillis
        const [[account], [count]] = yield* Effect.all(
          [
            accounts.find([accountId]),
            limits.count([{ accountId, subject, windowStart: windowStart(now), amount: 1 }])
          ],
          { concurrency: 2 }
        )
        if (account === undefined || account.deletedAt !== null || count === undefined) return null
        const limit = account.settings.rateLimitPerMinute
        return { isOver: count > limit, rate: rateState(limit, count, now) }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(TokenRate, TokenRate.make)
}
