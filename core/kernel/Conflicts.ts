/**
 * Retries attempts to load, decide and write that failed because another writer was first.
 *
 * @module
 */
import { Effect } from "effect"
import type { WriteConflict } from "../ports/Transaction.ts"
import { type Problem, Unavailable } from "../shared/Problem.ts"

/** The most attempts. Each conflict means that another writer succeeded, so this many in a row mean overload. */
const attempts = 30

/**
 * Repeats a load-decide-write attempt while it fails with `WriteConflict`; fails with `Unavailable` after 30 attempts.
 */
export const retryConflicts = <A, E, R>(
  effect: Effect.Effect<A, E | WriteConflict, R>
): Effect.Effect<A, Exclude<E, WriteConflict> | Unavailable, R> => {
  const attempt = (left: number): Effect.Effect<A, Exclude<E, WriteConflict> | Unavailable, R> =>
    Effect.catch(effect, (error) => {
      if (!isConflict(error)) return Effect.fail(error as Exclude<E, WriteConflict>)
      return left > 1
        ? Effect.flatMap(Effect.yieldNow, () => attempt(left - 1))
        : Effect.fail(new Unavailable({ cause: error }))
    })
  return attempt(attempts)
}

/** Turns the violation of one constraint into a problem for the caller; other conflicts stay as they are. */
export const refuseOn =
  (constraint: string, problem: () => Problem) =>
  <A, E, R>(self: Effect.Effect<A, E | WriteConflict, R>): Effect.Effect<A, E | Problem | WriteConflict, R> =>
    Effect.mapError(self, (error) =>
      isConflict(error) && error.constraint === constraint ? problem() : error
    )

const isConflict = (error: unknown): error is WriteConflict =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "WriteConflict"
