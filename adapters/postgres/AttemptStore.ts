/**
 * Stores attempts to transmit deliveries in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { AttemptStore } from "../../core/ports/AttemptStore.ts"
import { type Attempt, maxReplies } from "../../core/model/Message.ts"
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
  error: "text",
  source: "text"
})

/** The port over a `SqlClient`. `offset 0` makes each a look-up by key, whatever the planner's statistics. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("attempts_all", columns)

  return AttemptStore.of({
    // Sorted, so that two overlapping batches cannot deadlock.
    put: (added) =>
      table.insertMany(
        added,
        `order by "accountId", "deliveryId", claim on conflict (account_id, delivery_id, claim) do nothing`
      ),
    // Per account and by ids with their bounds, as in `erase`.
    addReplies: (replies) =>
      Effect.forEach(
        Map.groupBy(replies, ({ accountId }) => accountId),
        ([accountId, added]) => {
          const those = added.toSorted((one, other) => (one.deliveryId < other.deliveryId ? -1 : 1))
          const ids = those.map(({ deliveryId }) => deliveryId)
          return execute(sql`
            update attempts_all a
            set replies = (case when jsonb_array_length(a.replies) < ${maxReplies}::int then a.replies else a.replies - 0 end)
              || to_jsonb(late.words)
            from unnest(${ids}::uuid[], ${those.map(({ claim }) => claim)}::int[],
              ${those.map(({ words }) => words)}::text[]) as late (id, claim, words)
            where a.account_id = ${accountId} and a.delivery_id = any(${ids}::uuid[])
              and a.delivery_id >= ${ids[0]!} and a.delivery_id <= ${ids.at(-1)!}
              and a.delivery_id = late.id and a.claim = late.claim and not a.replies @> to_jsonb(late.words)`)
        },
        { discard: true }
      ),
    of: (refs) =>
      table
        .select(sql`
          from ${refRows(sql, refs)} cross join lateral (
            select * from attempts_all where account_id = account and delivery_id = key offset 0
          ) attempts_all order by attempts_all.delivery_id, attempts_all.claim`)
        .pipe(ifAny(refs)),
    // One statement for each account; usually all deliveries belong to one. An array of ids and its bounds limit the
    // statement to few partitions, which a `ctid` or a join would not do.
    erase: (refs) =>
      Effect.forEach(
        Map.groupBy(refs, ({ accountId }) => accountId),
        ([accountId, those]) => {
          const ids = those.map(({ id }) => id).toSorted()
          return execute(sql`
            delete from attempts_all where account_id = ${accountId} and delivery_id = any(${ids}::uuid[])
              and delivery_id >= ${ids[0]!} and delivery_id <= ${ids.at(-1)!}`)
        },
        { discard: true }
      )
  })
}).pipe(Layer.effect(AttemptStore))
