/**
 * Attempts to transmit deliveries, in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { AttemptStore } from "../../core/ports/AttemptStore.ts"
import type { Attempt } from "../../core/model/Message.ts"
import { columnsOf } from "./sql/columns.ts"
import { execute, ifAny } from "./sql/results.ts"
import { refRows, tableOf } from "./sql/tables.ts"

const columns = columnsOf<Attempt>({
  accountId: "uuid",
  deliveryId: "uuid",
  claim: "integer",
  startedAt: "timestamptz",
  finishedAt: "timestamptz",
  outcome: "text",
  host: "text",
  tls: "text",
  replies: "jsonb",
  error: "text"
})

/** The port over a `SqlClient`. `offset 0` keeps each a look-up by key, whatever statistics the planner has. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("attempts", columns)

  return AttemptStore.of({
    // Sorted, so that two overlapping batches never wait for each other.
    put: (added) =>
      table.insertMany(
        added,
        `order by "accountId", "deliveryId", claim on conflict (account_id, delivery_id, claim) do nothing`
      ),
    of: (refs) =>
      table
        .select(sql`
          from ${refRows(sql, refs)} cross join lateral (
            select * from attempts where account_id = account and delivery_id = key offset 0
          ) attempts order by attempts.delivery_id, attempts.claim`)
        .pipe(ifAny(refs)),
    erase: (refs) =>
      execute(sql`
        delete from attempts where ctid = any(array(
          select a.place from ${refRows(sql, refs)} cross join lateral (
            select ctid as place from attempts where account_id = account and delivery_id = key offset 0
          ) a
        ))`).pipe(ifAny(refs))
  })
}).pipe(Layer.effect(AttemptStore))
