/**
 * Stores the processed events and the records of connected stores in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type FailedEvent, maxFailedEvents, type ReceivedEvent } from "../../core/model/ReceivedEvent.ts"
import { type StoreActivity, type SyncedRecord, SyncStore } from "../../core/ports/SyncStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { countOf, execute, executeOrConflict, idsOf, ifAny } from "./sql/results.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"

const columns = columnsOf<SyncedRecord>({
  externalId: "text",
  kind: "text",
  contactId: "uuid",
  sourceUpdatedAt: "timestamptz"
})

const received = columnsOf<ReceivedEvent>({
  eventId: "text",
  name: "text",
  status: "text",
  receivedAt: "timestamptz",
  code: "text",
  field: "text",
  isKept: "boolean"
})

interface KeptRow {
  readonly eventId: string
  readonly name: string
  readonly receivedAt: Date | string
  readonly given: string | null
}

interface ActivityRow extends Omit<StoreActivity, "lastEventAt"> {
  readonly lastEventAt: Date | string | null
}

/** The last item of each key. A statement cannot write a row twice. */
const lastOfEach = <A>(items: ReadonlyArray<A>, keyOf: (item: A) => string): ReadonlyArray<A> => [
  ...new Map(items.map((item) => [keyOf(item), item])).values()
]

const recordKey = ({ externalId, kind }: SyncedRecord): string => `${kind} ${externalId}`
const eventKey = ({ eventId }: FailedEvent): string => eventId

/** The port over a `SqlClient`. `limit 1` makes each a look-up by key, whatever the planner's statistics. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("store_records", columns)
  const events = yield* tableOf("store_events", received, ["receivedAt", "eventId"])
  const names = sql.literal(columns.names)
  const fields = sql.literal(columns.fields)
  const recordset = sql.literal(columns.recordset)

  return SyncStore.of({
    seen: (accountId, storeId, eventIds) =>
      idsOf(sql`
        select e.event_id as id from (select distinct unnest(${eventIds}::text[]) as key) k cross join lateral (
          select event_id from store_events
          where account_id = ${accountId} and store_id = ${storeId} and event_id = k.key
            and status = 'Accepted' limit 1
        ) e`).pipe(ifAny(eventIds)),
    remember: (accountId, storeId, accepted, now) =>
      executeOrConflict(sql`
        with put as (
          insert into store_events as e (account_id, store_id, event_id, received_at, name)
          select ${accountId}::uuid, ${storeId}::uuid, r.id, ${new Date(now)}::timestamptz, r.name
          from unnest(${accepted.map(({ id }) => id)}::text[], ${accepted.map(({ name }) => name)}::text[])
            as r(id, name) order by r.id collate "C"
          on conflict (account_id, store_id, event_id) do update
          set received_at = excluded.received_at, name = excluded.name, status = 'Accepted', code = null,
            field = null, given = null, is_kept = false, people = null
          where e.status = 'Failed' returning 1
        )
        select svc_conflict('store_events_id') from (select count(*) as rows from put) p
        where p.rows <> ${accepted.length}::int`).pipe(ifAny(accepted)),
    fail: (accountId, storeId, failed, replaced) => {
      const each = lastOfEach(failed, eventKey)
      const rows = each.map((event) => ({ ...event, receivedAt: new Date(event.receivedAt).toISOString() }))
      const put = sql`
        insert into store_events as e (
          account_id, store_id, event_id, received_at, name, status, code, field, given, is_kept, people
        )
        select ${accountId}::uuid, ${storeId}::uuid, r."eventId", r."receivedAt", r.name, 'Failed', r.code, r.field,
          r.given, r.given is not null, r.people
        from json_to_recordset(${JSON.stringify(rows)}::json) as r(
          "eventId" text, "receivedAt" timestamptz, name text, code text, field text, given text, people text[]
        ) order by r."eventId" collate "C"
        on conflict (account_id, store_id, event_id) do update
        set received_at = excluded.received_at, name = excluded.name, status = excluded.status, code = excluded.code,
          field = excluded.field, given = excluded.given, is_kept = excluded.is_kept, people = excluded.people
        where e.status = 'Failed' or ${replaced === "Any"}::boolean`
      const trim = sql`
        delete from store_events where ctid = any(array(
          select ctid from store_events
          where account_id = ${accountId} and store_id = ${storeId} and status = 'Failed'
          order by received_at desc, event_id desc offset ${maxFailedEvents} for update skip locked
        ))`
      return Effect.andThen(execute(put), execute(trim)).pipe(ifAny(each))
    },
    events: (accountId, storeId, { status, ...range }, page) =>
      events.page(
        page,
        sql`account_id = ${accountId} and store_id = ${storeId}`,
        [{ column: "status", type: "text", values: status }],
        range
      ),
    failed: (accountId, storeId, { ids, until }, after, limit) =>
      Effect.map(
        orUnavailable(sql<KeptRow>`
          select event_id as "eventId", name, received_at as "receivedAt", given from store_events
          where ${sql.and([
            sql`account_id = ${accountId} and store_id = ${storeId} and status = 'Failed'`,
            sql`received_at <= ${new Date(until)}`,
            ...(ids === null ? [] : [sql`event_id = any(${ids}::text[])`]),
            ...(after === null
              ? []
              : [sql`(received_at, event_id) > (${new Date(after[0])}::timestamptz, ${after[1]}::text)`])
          ])} order by received_at, event_id limit ${limit}`),
        (rows) => rows.map((row) => ({ ...row, receivedAt: new Date(row.receivedAt).getTime() }))
      ),
    activity: (accountId, storeIds) =>
      Effect.map(
        orUnavailable(sql<ActivityRow>`
          select s.id as "storeId", (
            select received_at from store_events
            where account_id = ${accountId} and store_id = s.id and status = 'Accepted'
            order by received_at desc, event_id desc limit 1
          ) as "lastEventAt", (
            select count(*)::int from store_events
            where account_id = ${accountId} and store_id = s.id and status = 'Failed'
          ) as "failedEvents" from unnest(${storeIds}::uuid[]) as s(id)`),
        (rows) =>
          rows.map((row) => ({
            ...row,
            lastEventAt: row.lastEventAt === null ? null : new Date(row.lastEventAt).getTime()
          }))
      ).pipe(ifAny(storeIds)),
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
      const each = lastOfEach(records, recordKey)
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
    erase: (accountId, contactIds, emails) =>
      execute(sql`
        with customers as (
          select store_id, array_agg('#' || external_id) as people from store_records
          where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[]) and kind = 'Customer' group by 1
        ), of_addresses as (
          delete from store_events where account_id = ${accountId} and people && ${emails}::text[]
        ), of_customers as (
          delete from store_events e using customers c
          where e.account_id = ${accountId} and e.store_id = c.store_id and e.people && c.people
        )
        delete from store_records
        where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`).pipe(ifAny(contactIds)),
    eraseStore: (accountId, storeId, limit) =>
      countOf(sql`
        with records as (
          delete from store_records where ctid = any(array(
            select ctid from store_records where account_id = ${accountId} and store_id = ${storeId}
            order by account_id, store_id, kind, external_id limit ${limit} for update
          )) returning 1
        ), received as (
          delete from store_events where ctid = any(array(
            select ctid from store_events where account_id = ${accountId} and store_id = ${storeId}
            order by account_id, store_id, event_id limit ${limit} for update
          )) returning 1
        )
        select (select count(*) from records)::int + (select count(*) from received)::int as count`)
  })
}).pipe(Layer.effect(SyncStore))
