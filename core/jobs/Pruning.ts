/**
 * Periodically deletes old rows in the background.
 *
 * @module
 */
import { Clock, Duration, Effect } from "effect"
import { describeDefect } from "../shared/Defect.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** What is deleted, and when. */
export interface Pruning {
  /** What remains after a failure, for the log: `old … were kept`. */
  readonly name: string
  /** The interval between rounds. */
  readonly every: Duration.Input
  /** How long rows are kept, milliseconds. */
  readonly keptMillis: number
  /** The most rows deleted by one statement. */
  readonly perRound: number
  /** Deletes rows older than a time (epoch milliseconds), at most `limit`; returns how many. */
  readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
}

/** Prunes until interrupted. A failure, such as an unavailable database, is logged and retried in the next round. */
export const pruneEvery = ({ every, keptMillis, name, perRound, prune }: Pruning): Effect.Effect<never> => {
  const round = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    let gone = perRound
    while (gone === perRound) gone = yield* prune(now - keptMillis, perRound)
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.annotateLogs(Effect.logWarning(`old ${name} were kept`), describeDefect(cause))
    )
  )
  return Effect.forever(Effect.andThen(Effect.sleep(every), round))
}
