/**
 * What has been taken in of connected stores, in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type SyncedRecord, SyncStore } from "../../core/ports/SyncStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable, orConflict } from "./sql/errors.ts"

const recordColumns = columnsOf({
  externalId: "text",
  kind: "text",
  contactId: "uuid",
  sourceUpdatedAt: "timestamptz"
} satisfies Record<keyof SyncedRecord, string>)

/** A statement cannot touch a row twice: of each kind and id the last. */
const eachOnce = (records: ReadonlyArray<SyncedRecord>): ReadonlyArray<SyncedRecord> => [
  ...new Map(records.map((record) => [`${record.kind} ${record.externalId}`, record])).values()
]

/** The port over a `SqlClient`. The limits of 1 keep look-ups by key what they are. */
export const layer = Layer.effect(
  SyncStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(recordColumns.selected("r"))
    const names = sql.literal(recordColumns.names)
    const fields = sql.literal(recordColumns.fields)
    const recordset = sql.literal(recordColumns.recordset)

    return SyncStore.of({
      seen: (accountId, storeId, eventIds) =>
        eventIds.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql<{ readonly id: string }>`
                select e.event_id as id from (select distinct unnest(${eventIds}::text[]) as key) k cross join lateral (
                  select event_id from store_events
                  where account_id = ${accountId} and store_id = ${storeId} and event_id = k.key limit 1
                ) e`),
              (rows) => rows.map((row) => row.id)
            ),
      remember: (accountId, storeId, eventIds, now) =>
        eventIds.length === 0
          ? Effect.void
          : Effect.asVoid(
              orConflict(sql`
                insert into store_events (account_id, store_id, event_id, received_at)
                select ${accountId}::uuid, ${storeId}::uuid, e.id, ${new Date(now)}::timestamptz
                from unnest(${eventIds}::text[]) as e(id) order by e.id collate "C"`)
            ),
      prune: (before, limit) =>
        Effect.map(
          orUnavailable(sql<{ readonly gone: number }>`
            with gone as (
              delete from store_events where ctid = any(array(
                select ctid from store_events where received_at < ${new Date(before)}
                order by received_at limit ${limit} for update skip locked
              )) returning 1
            )
            select count(*)::int as gone from gone`),
          (rows) => rows[0]?.gone ?? 0
        ),
      find: (accountId, storeId, kind, externalIds) =>
        externalIds.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql`
                select ${columns} from (select distinct unnest(${externalIds}::text[]) as key) k cross join lateral (
                  select * from store_records
                  where account_id = ${accountId} and store_id = ${storeId} and kind = ${kind}
                    and external_id = k.key limit 1
                ) r`),
              (rows) => rows.map((row) => recordColumns.decode<SyncedRecord>(row))
            ),
      put: (accountId, storeId, records) => {
        if (records.length === 0) return Effect.void
        const each = eachOnce(records)
        return Effect.asVoid(
          orConflict(sql`
            with put as (
              insert into store_records as s (account_id, store_id, ${names})
              select ${accountId}::uuid, ${storeId}::uuid, ${fields}
              from json_to_recordset(${recordColumns.encode(each)}::json) as r(${recordset})
              order by r.kind collate "C", r."externalId" collate "C"
              on conflict (account_id, store_id, kind, external_id) do update
              set contact_id = excluded.contact_id, source_updated_at = excluded.source_updated_at
              where s.source_updated_at <= excluded.source_updated_at returning 1
            )
            select svc_conflict('store_records_newer') from (select count(*) as rows from put) p
            where p.rows <> ${each.length}::int`)
        )
      },
      erase: (accountId, contactIds) =>
        contactIds.length === 0
          ? Effect.void
          : Effect.asVoid(
              orUnavailable(sql`
                delete from store_records
                where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`)
            ),
      eraseStore: (accountId, storeId, limit) =>
        Effect.map(
          orUnavailable(sql<{ readonly gone: number }>`
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
            select (select count(*) from records)::int + (select count(*) from events)::int as gone`),
          (rows) => rows[0]?.gone ?? 0
        )
    })
  })
)
