/**
 * Visits of deliveries, in the database: one row for each visited delivery.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type DeliveryVisits, noVisits } from "../../core/model/Visit.ts"
import { VisitStore } from "../../core/ports/VisitStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { countOf, execute, ifAny } from "./sql/results.ts"
import { refRows, tableOf } from "./sql/tables.ts"

const columns = columnsOf<DeliveryVisits>({
  accountId: "uuid",
  deliveryId: "uuid",
  visits: "jsonb",
  opens: "jsonb",
  clicks: "jsonb",
  readerOpenedAt: "timestamptz",
  readerClickedAt: "timestamptz"
})

/** The port over a `SqlClient`. `offset 0` keeps each a look-up by key, whatever statistics the planner has. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("delivery_visits", columns)
  const { clicks, opens } = noVisits("", "")

  return VisitStore.of({
    // The write locks the row and returns its latest version, where `for update` would return an older one. Sorted, so
    // that two overlapping batches never wait for each other.
    lock: (refs) =>
      table
        .returning(sql`
          insert into delivery_visits (account_id, delivery_id, visits, opens, clicks)
          select account, key, '[]', ${JSON.stringify(opens)}::jsonb, ${JSON.stringify(clicks)}::jsonb from (
            select distinct account, key from ${refRows(sql, refs)} order by account, key
          ) r cross join lateral (
            select 1 from deliveries where account_id = r.account and id = r.key limit 1 for key share
          ) d
          on conflict (account_id, delivery_id) do update set visits = delivery_visits.visits`)
        .pipe(ifAny(refs)),
    put: (given) =>
      table.insertMany(
        given,
        `order by "accountId", "deliveryId" on conflict (account_id, delivery_id) do update set
          visits = excluded.visits, opens = excluded.opens, clicks = excluded.clicks,
          reader_opened_at = excluded.reader_opened_at, reader_clicked_at = excluded.reader_clicked_at`
      ),
    of: (refs) =>
      table
        .select(sql`
          from ${refRows(sql, refs)} cross join lateral (
            select * from delivery_visits where account_id = account and delivery_id = key offset 0
          ) delivery_visits`)
        .pipe(ifAny(refs)),
    erase: (refs) =>
      execute(sql`
        delete from delivery_visits where ctid = any(array(
          select v.place from ${refRows(sql, refs)} cross join lateral (
            select ctid as place from delivery_visits where account_id = account and delivery_id = key offset 0
          ) v
        ))`).pipe(ifAny(refs)),
    prune: (before, limit) =>
      countOf(sql`
        with old as materialized (
          select ctid as place from delivery_visits where oldest_at < ${before}
          order by oldest_at limit ${limit} for update skip locked
        ),
        pruned as (
          update delivery_visits set visits = (
            select coalesce(jsonb_agg(v order by place), '[]')
            from jsonb_array_elements(visits) with ordinality as e(v, place)
            where (v ->> 'at')::float8 >= ${before}
          )
          where ctid = any(array(select place from old)) returning 1
        )
        select count(*)::int as count from pruned`)
  })
}).pipe(Layer.effect(VisitStore))
