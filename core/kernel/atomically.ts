/**
 * Runs load, decide and write in one transaction, and repeats it while another writer is first.
 *
 * @module
 */
import { Effect } from "effect"
import { Transaction, type WriteConflict } from "../ports/Transaction.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { retryConflicts } from "./Conflicts.ts"

/**
 * Runs an effect in a transaction, and repeats it from the beginning while it fails with `WriteConflict`. Fails with
 * `Unavailable` after 30 attempts. The effect must be repeatable: it must itself read everything on which it decides. Code that
 * must not be repeated calls `Transaction.run` and says why.
 */
export interface Atomically {
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, WriteConflict> | Unavailable, R>
}

/** Makes `atomically` from the Transaction port: `const atomically = yield* Atomically`. */
export const Atomically: Effect.Effect<Atomically, never, Transaction> = Effect.map(
  Transaction,
  ({ run }): Atomically =>
    (effect) =>
      retryConflicts(run(effect))
)
