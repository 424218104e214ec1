/**
 * How long notifications are kept: their bodies hold addresses, and their log is for finding out what went wrong.
 *
 * @module
 */
import { Effect } from "effect"
import { pruneEvery } from "../jobs/Pruning.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"

/** Removes notifications after 30 days, which is far longer than their attempts take. */
export const pruneNotifications = Effect.flatMap(NotificationStore, ({ prune }) =>
  pruneEvery({
    name: "notifications",
    every: "1 hour",
    keptMillis: 30 * 24 * 60 * 60_000,
    perRound: 5_000,
    prune
  })
)
