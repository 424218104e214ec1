/**
 * Rate windows that are over, and what becomes of them.
 *
 * @module
 */
import { Effect } from "effect"
import { pruneEvery } from "../jobs/Pruning.ts"
import { RateLimits } from "../ports/RateLimits.ts"

/** Removes rate windows an hour after they began, which is longer than any window lasts. */
export const pruneRateWindows = Effect.flatMap(RateLimits, ({ prune }) =>
  pruneEvery({
    name: "rate windows",
    every: "1 minute",
    keptMillis: 60 * 60_000,
    perRound: 10_000,
    prune
  })
)
