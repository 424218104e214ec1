/**
 * What is over is removed for good, in the background, for as long as the service runs.
 *
 * @module
 */
import { Clock, Duration, Effect } from "effect"
import { describeDefect } from "../shared/Defect.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Something that is removed by its age. */
export interface Pruning {
  /** What stays when it fails, for the log: `old … were kept`. */
  readonly name: string
  /** The time between two turns. */
  readonly every: Duration.Input
  /** How old it may become, milliseconds. */
  readonly keptMillis: number
  /** The most that are removed at once. */
  readonly perRound: number
  /** Removes what is older than a time, at most so many; answers how many. */
  readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
}

/** Removes what is old, a bounded number at a time, again and again for ever. A store out of reach is tried again. */
export const pruneEvery = ({ every, keptMillis, name, perRound, prune }: Pruning): Effect.Effect<never> => {
  const turn = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    let gone = perRound
    while (gone === perRound) gone = yield* prune(now - keptMillis, perRound)
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.annotateLogs(Effect.logWarning(`old ${name} were kept`), describeDefect(cause))
    )
  )
  return Effect.forever(Effect.andThen(Effect.sleep(every), turn))
}
