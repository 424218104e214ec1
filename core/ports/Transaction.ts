/**
 * Commits everything that a use case writes through several ports as one transaction.
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/**
 * Another writer was first: a unique constraint, a row version or a limit in the database rejected the write. Nothing was
 * written. The caller must load and decide again.
 */
export class WriteConflict extends Data.TaggedError("WriteConflict")<{
  /** The name of the constraint. `refuseOn` turns some of them into problems, so all adapters use the same names. */
  readonly constraint: string
}> {}

/** The port of transactions. */
export class Transaction extends Context.Service<
  Transaction,
  {
    /** Whether transactions run one after the other, so that a long one delays all others. */
    readonly areSerial: boolean
    /**
     * Runs `effect` in one transaction: commits if it succeeds, rolls back if it fails or is interrupted. Writes made through any
     * port inside belong to the transaction; a transaction inside another joins the outer one. The commit itself cannot be
     * interrupted. Deadlocks and serialization failures are `WriteConflict`.
     */
    readonly run: <A, E, R>(
      effect: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | WriteConflict | Unavailable, R>
  }
>()("svc/ports/Transaction") {}
