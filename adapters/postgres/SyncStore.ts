/**
 * Processed events and records of connected stores, in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type SyncedRecord, SyncStore } from "../../core/ports/SyncStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { countOf, execute, executeOrConflict, idsOf, ifAny } from "./sql/results.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"

const columns = columnsOf<SyncedRecord>({
  externalId: "text",
  kind: "text",
  contactId: "uuid",
  sourceUpdatedAt: "timestamptz"
})

/** The last record of each kind and id: a statement cannot write a row twice. */
const eachOnce = (records: ReadonlyArray<SyncedRecord>): ReadonlyArray<SyncedRecord> => [
  ...new Map(records.map((record) => [`${record.kind} ${record.externalId}`, record])).values()
]

/** The port over a `SqlClient`. The limits of 1 keep each a look-up by key, whatever statistics the planner has. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("store_records", columns)
  const names = sql.literal(columns.names)
  const fields = sql.literal(columns.fields)
  const recordset = sql.literal(columns.recordset)

  return SyncStore.of({
    seen: (accountId, storeId, eventIds) =>
      idsOf(sql`
        select e.event_id as id from (select distinct unnest(${eventIds}::text[]) as key) k cross join lateral (
          select event_id from store_events
          where account_id = ${accountId} and store_id = ${storeId} and event_id = k.key limit 1
        ) e`).pipe(ifAny(eventIds)),
    remember: (accountId, storeId, eventIds, now) =>
      executeOrConflict(sql`
        insert into store_events (account_id, store_id, event_id, received_at)
        select ${accountId}::uuid, ${storeId}::uuid, e.id, ${new Date(now)}::timestamptz
        from unnest(${eventIds}::text[]) as e(id) order by e.id collate "C"`).pipe(ifAny(eventIds)),
    prune: (before, limit) => pruneOldest(sql, "store_events", "received_at", before, limit),
    find: (accountId, storeId, kind, externalIds) =>
      table
        .select(sql`
          from (select distinct unnest(${externalIds}::text[]) as key) k cross join lateral (
            select * from store_records
            where account_id = ${accountId} and store_id = ${storeId} and kind = ${kind}
              and external_id = k.key limit 1
          ) store_records`)
        .pipe(ifAny(externalIds)),
    put: (accountId, storeId, records) => {
      const each = eachOnce(records)
      return executeOrConflict(sql`
        with put as (
          insert into store_records as s (account_id, store_id, ${names})
          select ${accountId}::uuid, ${storeId}::uuid, ${fields}
          from json_to_recordset(${columns.encode(each)}::json) as r(${recordset})
          order by r.kind collate "C", r."externalId" collate "C"
          on conflict (account_id, store_id, kind, external_id) do update
          set contact_id = excluded.contact_id, source_updated_at = excluded.source_updated_at
          where s.source_updated_at <= excluded.source_updated_at returning 1
        )
        select svc_conflict('store_records_newer') from (select count(*) as rows from put) p
        where p.rows <> ${each.length}::int`).pipe(ifAny(each))
    },
    erase: (accountId, contactIds) =>
      execute(sql`
        delete from store_records
        where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`).pipe(ifAny(contactIds)),
    eraseStore: (accountId, storeId, limit) =>
      countOf(sql`
        with records as (
          delete from store_records where ctid = any(array(
            select ctid from store_records where account_id = ${accountId} and store_id = ${storeId}
            order by account_id, store_id, kind, external_id limit ${limit} for update
          )) returning 1
        ), events as (
          delete from store_events where ctid = any(array(
            select ctid from store_events where account_id = ${accountId} and store_id = ${storeId}
            order by account_id, store_id, event_id limit ${limit} for update
          )) returning 1
        )
        select (select count(*) from records)::int + (select count(*) from events)::int as count`)
  })
}).pipe(Layer.effect(SyncStore))
