/**
 * Rate windows that are over, and what becomes of them.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { describeDefect } from "../shared/Defect.ts"
import { RateLimits } from "../ports/RateLimits.ts"

/** How long a window is kept after it began: longer than any window lasts, in milliseconds. */
const keptMillis = 60 * 60_000

const perRound = 10_000

/** Removes old windows, a bounded number at a time, once a minute for ever. A store out of reach is tried again. */
export const forgetRateWindows = Effect.gen(function* () {
  const limits = yield* RateLimits
  const forget = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    let gone = perRound
    while (gone === perRound) gone = yield* limits.prune(now - keptMillis, perRound)
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.annotateLogs(Effect.logWarning("old rate windows were kept"), describeDefect(cause))
    )
  )
  return yield* Effect.forever(Effect.andThen(Effect.sleep("1 minute"), forget))
})
