/**
 * Inserts rows whose number per account is limited.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Transaction, type WriteConflict } from "../../../core/ports/Transaction.ts"
import type { Unavailable } from "../../../core/shared/Problem.ts"
import { executeOrConflict } from "./results.ts"

/**
 * Runs `insert` and then `check` in a transaction; `check` raises a conflict if the limit is exceeded. Writers with the same
 * lock run one after the other. `check` is a separate statement, because a statement does not see what another writer
 * committed while it waited.
 */
export const makeInsertWithinLimit = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { run } = yield* Transaction

  return (
    locks: ReadonlyArray<string>,
    insert: Effect.Effect<void, WriteConflict | Unavailable>,
    check: Effect.Effect<ReadonlyArray<object>, SqlError>
  ) =>
    run(
      executeOrConflict(sql`
        select pg_advisory_xact_lock(hashtextextended(key, 0)) from unnest(${locks.toSorted()}::text[]) as k(key)`).pipe(
        Effect.andThen(insert),
        Effect.andThen(executeOrConflict(check))
      )
    )
})
