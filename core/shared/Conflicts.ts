/**
 * What to do when somebody else wrote first: load and decide again.
 *
 * @module
 */
import { Effect } from "effect"
import type { WriteConflict } from "../ports/Transaction.ts"
import { type Problem, Unavailable } from "./Problem.ts"

/**
 * How often a decision is taken again. Each conflict means that another writer got through, so this many in a row
 * is overload, not bad luck.
 */
const manyAttempts = 30

/** How often a batch is tried as a whole before it is split. */
const batchAttempts = 4

/**
 * Repeats a load-decide-write cycle while it ends in `WriteConflict`; gives up as `Unavailable` after `attempts`.
 */
export const retryConflicts = <A, E, R>(
  cycle: Effect.Effect<A, E | WriteConflict, R>,
  attempts = manyAttempts
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

/**
 * Runs a load-decide-write cycle over a batch whose items succeed or fail each on its own. A batch that keeps
 * conflicting is split in two, which run one after the other: a store that checks uniqueness row by row refuses, for
 * example, a batch in which one row gives up a value that another takes.
 */
export const retryBatch = <Item, A, E, R>(
  items: ReadonlyArray<Item>,
  cycle: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<A>, E | WriteConflict, R>
): Effect.Effect<ReadonlyArray<A>, Exclude<E, WriteConflict> | Unavailable, R> => {
  if (items.length <= 1) return retryConflicts(cycle(items))
  const middle = items.length >> 1
  return Effect.catch(retryConflicts(cycle(items), batchAttempts), (error) =>
    error instanceof Unavailable && isConflict(error.cause)
      ? Effect.flatMap(retryBatch(items.slice(0, middle), cycle), (first) =>
          Effect.map(retryBatch(items.slice(middle), cycle), (second) => [...first, ...second])
        )
      : Effect.fail(error)
  )
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
