/**
 * What to do when somebody else wrote first: load and decide again.
 *
 * @module
 */
import { Effect } from "effect"
import type { WriteConflict } from "../ports/Transaction.ts"
import { type Problem, Unavailable } from "../shared/Problem.ts"

/**
 * How often a decision is taken again. Each conflict means that another writer got through, so this many in a row
 * is overload, not bad luck.
 */
const attempts = 30

/**
 * Repeats a load-decide-write cycle while it ends in `WriteConflict`; gives up as `Unavailable` after so many.
 */
export const retryConflicts = <A, E, R>(
  cycle: Effect.Effect<A, E | WriteConflict, R>
): Effect.Effect<A, Exclude<E, WriteConflict> | Unavailable, R> => {
  const attempt = (left: number): Effect.Effect<A, Exclude<E, WriteConflict> | Unavailable, R> =>
    Effect.catch(cycle, (error) => {
      if (!isConflict(error)) return Effect.fail(error as Exclude<E, WriteConflict>)
      return left > 1
        ? Effect.flatMap(Effect.yieldNow, () => attempt(left - 1))
        : Effect.fail(new Unavailable({ cause: error }))
    })
  return attempt(attempts)
}

/** Turns the refusal of one constraint into what it means to the caller; other conflicts stay what they are. */
export const refuseOn =
  (constraint: string, problem: () => Problem) =>
  <A, E, R>(self: Effect.Effect<A, E | WriteConflict, R>): Effect.Effect<A, E | Problem | WriteConflict, R> =>
    Effect.mapError(self, (error) =>
      isConflict(error) && error.constraint === constraint ? problem() : error
    )

const isConflict = (error: unknown): error is WriteConflict =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "WriteConflict"
