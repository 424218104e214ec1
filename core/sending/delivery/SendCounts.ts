/**
 * Daily counts of emails that are over.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { SendQuota } from "../../ports/SendQuota.ts"
import { describeDefect } from "../../shared/Defect.ts"
import { capDay } from "./DeliveryRules.ts"

/** The day before is kept too: another node's clock may be behind, and counts for it still. */
const keptMillis = 24 * 3_600_000

/** Removes the counts of past days, once an hour for ever. A store out of reach is tried again. */
export const pruneSendCounts = Effect.gen(function* () {
  const quota = yield* SendQuota
  const forget = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    quota.forget(capDay(now - keptMillis).day)
  ).pipe(
    Effect.catchCause((cause) =>
      Effect.annotateLogs(Effect.logWarning("old counts of emails were kept"), describeDefect(cause))
    )
  )
  return yield* Effect.forever(Effect.andThen(Effect.sleep("1 hour"), forget))
})
