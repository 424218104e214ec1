/**
 * The rate of tokens that are no API keys, such as those of stores: each has the account's limit of calls a minute of its
 * own (decisions 2).
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { AccountStore } from "../ports/AccountStore.ts"
import { RateLimits } from "../ports/RateLimits.ts"
import { rateState, windowStart } from "./Authentication.ts"

/**
 * A function that counts a call of a token, whose `subject` names it among the account's, such as `store:<id>`, and
 * answers where it stands then; null where the account is gone. Two statements.
 */
export const makeTokenRate = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const limits = yield* RateLimits
  return Effect.fnUntraced(function* (accountId: string, subject: string) {
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
