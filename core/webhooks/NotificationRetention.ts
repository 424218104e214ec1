/**
 * How long notifications are kept: their bodies hold addresses, and their log is for finding out what went wrong.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { NotificationStore } from "../ports/NotificationStore.ts"
import { describeDefect } from "../shared/Defect.ts"

/** Far longer than the attempts take, in milliseconds. */
const keptMillis = 30 * 24 * 60 * 60_000

const perRound = 5_000

/** Removes old notifications, a bounded number at a time, once an hour for ever. A store out of reach is tried again. */
export const forgetNotifications = Effect.gen(function* () {
  const notifications = yield* NotificationStore
  const forget = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    let gone = perRound
    while (gone === perRound) gone = yield* notifications.prune(now - keptMillis, perRound)
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.annotateLogs(Effect.logWarning("old notifications were kept"), describeDefect(cause))
    )
  )
  return yield* Effect.forever(Effect.andThen(Effect.sleep("1 hour"), forget))
})
