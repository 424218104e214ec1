/**
 * Stores reported events in the database. `limit 1` makes each a look-up by key, whatever the planner's statistics.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { eventStatuses, type EventSummary, type PendingEvent } from "../../core/model/Event.ts"
import type { ContactWrite } from "../../core/model/ContactInput.ts"
import { type EventFilter, type EventOwners, EventStore } from "../../core/ports/EventStore.ts"
import { firstIdAt, isUuid } from "../../core/shared/Uuid.ts"
import { isAscending, type PageRequest, placeById } from "../../core/shared/Page.ts"
import { columnsOf } from "./sql/columns.ts"
import { countsOf } from "./sql/days.ts"
import { orUnavailable } from "./sql/errors.ts"
import {
  behind,
  betweenIds,
  countLimit,
  idText,
  pageLimit,
  type PageRow,
  type PlanRow,
  type SortColumn,
  sortedBy,
  sourceLimit,
  toPage
} from "./sql/pages.ts"
import { execute, executeOrConflict, idsOf, ifAny } from "./sql/results.ts"

/** A row of `pending_events`. */
interface PendingRow extends Omit<PendingEvent, "contact" | "person"> {
  readonly contact: string
  readonly contactId: string | null
  readonly externalId: string | null
  readonly email: string | null
}

const pending = columnsOf<PendingRow>({
  id: "uuid",
  eventId: "text",
  name: "text",
  occurredAt: "timestamptz",
  properties: "json",
  contact: "text",
  contactId: "uuid",
  externalId: "text",
  email: "text",
  source: "text",
  size: "int"
})

const rowOf = ({ contact, person, ...event }: PendingEvent): PendingRow => ({
  ...event,
  ...person,
  contact: JSON.stringify(contact)
})

const toPending = (row: object): PendingEvent => {
  const { contact, contactId, email, externalId, ...event } = pending.decode(row)
  return {
    ...event,
    contact: JSON.parse(contact) as ContactWrite,
    person: { contactId, externalId, email }
  }
}

const summaries = columnsOf<EventSummary>({
  id: "uuid",
  eventId: "text",
  name: "text",
  occurredAt: "timestamptz",
  status: "text",
  source: "text",
  failure: "text",
  contactId: "uuid"
})

/** The ids that precede and follow all others. */
const firstId = "00000000-0000-0000-0000-000000000000"
const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff"

const byId: ReadonlyArray<SortColumn> = [{ column: "id", kind: "Id" }]

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const pendingNames = sql.literal(pending.names)
  const pendingFields = sql.literal(pending.fields)
  const pendingRecord = sql.literal(pending.recordset)
  const pendingColumns = sql.literal(pending.selected("p"))

  /**
   * Event ids are inserted in one order, so that two overlapping batches cannot deadlock. Positions in the queue follow the
   * order given. A partition cannot enforce unique ids across partitions, so the table `event_keys` does. It lacks the
   * ids from before partitioning; the first partition, `events`, keeps those unique itself.
   */
  const insert = (accountId: string, events: ReadonlyArray<PendingEvent>) =>
    idsOf(sql`
      with given as materialized (
        select ${pendingFields}, nextval('events_position') as position from rows from (
          json_to_recordset(${pending.encode(events.map(rowOf))}::json) as (${pendingRecord})
        ) with ordinality as r(${pendingFields}, n)
      ), fresh as (
        insert into event_keys (account_id, event_id, id)
        select distinct on (g."eventId" collate "C") ${accountId}::uuid, g."eventId", g.id
        from given g left join lateral (
          select true as found from events where account_id = ${accountId} and event_id = g."eventId" limit 1
        ) old on true
        where old.found is null
        order by g."eventId" collate "C", position
        on conflict (account_id, event_id) do nothing returning id
      ), added as (
        insert into events_all (account_id, id, event_id, name, occurred_at, source)
        select ${accountId}::uuid, id, "eventId", name, "occurredAt", nullif(source, 'Api') from given
        where (id in (select id from fresh)) is true
        order by "eventId" collate "C"
        on conflict do nothing returning id
      ), waiting as (
        insert into pending_events (account_id, position, ${pendingNames})
        select ${accountId}::uuid, position, ${pendingFields} from given
        where (id in (select id from added)) is true order by position
      )
      select id from added`)

  /**
   * Locks the account's row even if there is nothing to update; the first batch inserts it. Until the transaction ends, no
   * plan uses a bitmap scan. A bitmap plan made while the queue was empty would sort the whole queue for each step of the
   * walk.
   */
  const lockAccount = (accountId: string) =>
    execute(sql`
      with turn as (
        insert into event_turns as t (account_id) values (${accountId})
        on conflict (account_id) do update set account_id = excluded.account_id where false
      )
      select set_config('enable_bitmapscan', 'off', true)`)

  /** Walks the queue's index row by row. If many rows were requested at once, the planner might sort the whole backlog. */
  const line = (accountId: string, limit: number, maxSize: number) =>
    orUnavailable(sql`
      with recursive line as (
        select f.*, 1 as place, 0::bigint as before from (
          select * from pending_events where account_id = ${accountId} order by position limit 1
        ) f
        union all
        select f.*, l.place + 1, l.before + l.size from line l cross join lateral (
          select * from pending_events where account_id = ${accountId} and position > l.position
          order by position limit 1
        ) f
        where l.place < ${limit}::int and l.before + l.size < ${maxSize}::bigint
      )
      select ${pendingColumns} from line p order by p.position`)

  /**
   * The events with a value, one month after another in the order of the list, until there are enough. The index of the
   * partitioned table consists of one index per month, and merging them would read the first entries of every month. The
   * only possible plan is a nested loop over the months, because the inner query depends on the month. The value is
   * compared three times, so that the planner prefers its index to that of the ids even if the statistics contain only
   * one value.
   */
  const byMonth = (
    accountId: string,
    column: "name" | "source",
    values: ReadonlyArray<string>,
    { since = null, until = null }: EventFilter,
    from: PageRequest,
    passing: Fragment,
    limit: Fragment
  ): Fragment => {
    const ascending = isAscending(from)
    const after = (from.after?.[0] as string | undefined) ?? null
    const idAt = (time: number | null) => (time === null ? null : idText(time))
    const lower = (ascending ? after : null) ?? idAt(since) ?? firstId
    const upper = (ascending ? null : after) ?? idAt(until) ?? lastId
    const value = sql.literal(`e.${column}`)
    const direction = sql.literal(ascending ? "asc" : "desc")
    // The event at the cursor itself was on the page before.
    const begins = ascending && after !== null ? sql`e.id > m.since` : sql`e.id >= m.since`
    return sql`
      select f.id from unnest(${values}::text[]) as v(value) cross join lateral (
        select e.id from (
          select greatest(p.since, ${lower}::uuid) as since, least(p.until, ${upper}::uuid) as until from (
            select coalesce(since, ${firstId}::uuid) as since, coalesce(until, ${lastId}::uuid) as until
            from svc_partitions('events_all'::regclass)
          ) p where p.since <= ${upper}::uuid and p.until > ${lower}::uuid order by p.since ${direction}
        ) m cross join lateral (
          select e.id from events_all e where ${sql.and([
            sql`e.account_id = ${accountId}`,
            sql`${value} = v.value and ${value} >= v.value and ${value} <= v.value`,
            begins,
            sql`e.id < m.until`,
            passing
          ])} order by e.id ${direction} ${limit}
        ) e ${limit}
      ) f`
  }

  /**
   * A `select` of the ids of the events in a list. Each filter uses an index of its own. The ids are those of the page,
   * sorted like it, those that are counted for its total, or all.
   */
  const filtered = (
    accountId: string,
    filter: EventFilter,
    page: PageRequest,
    what: "All" | "Counted" | "Page"
  ): Fragment => {
    const { contactId = null, name = null, q = null, source = null, status = null } = filter
    const from = what === "Page" ? page : { ...page, after: null }
    const limit = what === "Page" ? pageLimit(sql, page) : what === "Counted" ? countLimit(sql, page) : sql``
    const limitOfEach = what === "Page" ? sourceLimit(sql, page) : limit
    const rangeOf = (id: string) =>
      sql.and([betweenIds(sql, id, filter), behind(sql, from, [{ column: id, kind: "Id" }])])
    const sortedOf = (id: string, most: Fragment) =>
      sql`order by ${sortedBy(sql, from, [{ column: id, kind: "Id" }])} ${most}`
    const isOne = source !== null && new Set(source).size === 1
    const ofSource = !isOne
      ? sql`true`
      : source[0] === "Api"
        ? sql`e.source is null`
        : sql`e.source = ${source[0]}`
    const named = (of: string) =>
      name === null ? sql`true` : sql`${sql.literal(of)}.name = any(${name}::text[])`
    const isOn = (table: string) =>
      sql`(select true from ${sql.literal(table)} where account_id = ${accountId} and id = e.id limit 1) is not null`
    // Most events are processed, so the state of an event depends on whether one of the other tables contains it.
    const tests = {
      Accepted: isOn("pending_events"),
      Failed: isOn("failed_events"),
      Processed: sql`not ${isOn("pending_events")} and not ${isOn("failed_events")}`
    }
    const states =
      status === null || status.length === eventStatuses.length
        ? sql`true`
        : sql.or(status.map((one) => sql`(${tests[one]})`))
    const merged = (sources: Fragment) => sql`select distinct id from (${sources}) m ${sortedOf("id", limit)}`
    const byKey = (wanted: Fragment, test = sql`true`) => sql`
      select e.id from (${wanted}) k cross join lateral (
        select id, name, source from events_all where account_id = ${accountId} and id = k.id limit 1
      ) e where ${sql.and([rangeOf("e.id"), named("e"), ofSource, states, test])}`

    if (q !== null) {
      const onTimeline =
        contactId === null
          ? sql`true`
          : sql`(select contact_id from timeline where account_id = ${accountId} and id = e.id limit 1)
              = any(${contactId}::uuid[])`
      return merged(
        byKey(
          sql`
            select id from event_keys where account_id = ${accountId} and event_id = ${q}
            union all select id from events where account_id = ${accountId} and event_id = ${q}
            union all select ${isUuid(q) ? q : null}::uuid
            union all (
              select id from failed_events where account_id = ${accountId} and code = ${q} and ${rangeOf("id")}
              ${sortedOf("id", limitOfEach)}
            )`,
          onTimeline
        )
      )
    }
    if (contactId !== null) {
      // An event on a timeline has been processed.
      const any = status === null || status.includes("Processed")
      return merged(
        byKey(sql`
          select id from timeline
          where account_id = ${accountId} and contact_id = any(${contactId}::uuid[]) and ${any}::boolean`)
      )
    }
    if (status !== null && !status.includes("Processed")) {
      const tables = { Accepted: "pending_events", Failed: "failed_events" }
      const sources = status.map((one) =>
        one === "Processed"
          ? sql``
          : sql`(select o.id from ${sql.literal(tables[one])} o
              where ${sql.and([
                sql`o.account_id = ${accountId}`,
                named("o"),
                rangeOf("o.id"),
                ...(isOne
                  ? [
                      sql`(select ${ofSource} from events_all e where account_id = ${accountId} and id = o.id limit 1)`
                    ]
                  : [])
              ])}
              ${sortedOf("o.id", limitOfEach)})`
      )
      return merged(sql.join(" union all ", false)(sources))
    }
    if (name !== null) {
      return merged(byMonth(accountId, "name", name, filter, from, sql.and([ofSource, states]), limitOfEach))
    }
    if (isOne && source[0] !== "Api") {
      return merged(byMonth(accountId, "source", [source[0]!], filter, from, states, limitOfEach))
    }
    const conditions = [sql`e.account_id = ${accountId}`, rangeOf("e.id"), ofSource, states]
    return sql`select e.id from events_all e where ${sql.and(conditions)} ${sortedOf("e.id", limit)}`
  }

  const counted = (accountId: string, filter: EventFilter, page: PageRequest) =>
    sql`(select count(*)::int from (${filtered(accountId, filter, page, "Counted")}) f)`

  /**
   * The number of events in a list. The number of processed events is the total minus the others, because checking a
   * million events one by one takes seconds.
   */
  const total = (accountId: string, filter: EventFilter, page: PageRequest) => {
    const { contactId = null, q = null, status = null } = filter
    return page.total !== "Bounded" && status?.join() === "Processed" && contactId === null && q === null
      ? sql`${counted(accountId, { ...filter, status: null }, page)}
          - ${counted(accountId, { ...filter, status: ["Accepted", "Failed"] }, page)}`
      : counted(accountId, filter, page)
  }

  /** The rows `e` of the events whose ids `shown` selects, with their state. */
  const detailed = (accountId: string, shown: Fragment) => sql`
    select e.id, e.event_id as "eventId", e.name, e.occurred_at as "occurredAt",
      coalesce(e.source, 'Api') as source, failed.code as failure,
      t.contact_id as "contactId", case
        when failed.code is not null then 'Failed' when waiting.id is not null then 'Accepted'
        else 'Processed' end as status
    from (${shown}) shown cross join lateral (
      select * from events_all where account_id = ${accountId} and id = shown.id limit 1
    ) e left join lateral (
      select id from pending_events where account_id = ${accountId} and id = shown.id limit 1
    ) waiting on true left join lateral (
      select code from failed_events where account_id = ${accountId} and id = shown.id limit 1
    ) failed on true left join lateral (
      select contact_id from timeline where account_id = ${accountId} and id = shown.id limit 1
    ) t on true`

  const erase = (accountId: string, { contactIds, emails, externalIds }: EventOwners) =>
    execute(sql`
      with line as (
        delete from pending_events where account_id = ${accountId}
          and (
            contact_id = any(${contactIds}::uuid[]) or external_id = any(${externalIds}::text[])
            or email = any(${emails}::text[])
          )
        returning id
      ), failed as (
        delete from failed_events where ctid = any(array(
          select f.place from unnest(${contactIds}::uuid[]) as k(id) cross join lateral (
            select ctid as place from failed_events where account_id = ${accountId} and contact_id = k.id offset 0
          ) f
          union select f.place from unnest(${externalIds}::text[]) as k(id) cross join lateral (
            select ctid as place from failed_events where account_id = ${accountId} and external_id = k.id offset 0
          ) f
          union select f.place from unnest(${emails}::text[]) as k(email) cross join lateral (
            select ctid as place from failed_events where account_id = ${accountId} and email = k.email offset 0
          ) f
        )) returning id
      )
      select svc_erase_events(${accountId}, array(
        select id from line union select id from failed union
        select t.id from (select distinct unnest(${contactIds}::uuid[]) as contact) o cross join lateral (
          select id from timeline where account_id = ${accountId} and contact_id = o.contact
          order by occurred_at desc offset 0
        ) t
      ))`)

  return EventStore.of({
    insert: (accountId, events) => insert(accountId, events).pipe(ifAny(events)),
    claimBatch: (accountId, limit, maxSize) =>
      Effect.flatMap(lockAccount(accountId), () =>
        Effect.map(line(accountId, limit, maxSize), (rows) => rows.map(toPending))
      ),
    complete: (accountId, events) => {
      const failed = events.filter((event) => event.failure !== null)
      return executeOrConflict(sql`
        with gone as (
          delete from pending_events where ctid = any(array(
            select p.place from unnest(${events.map((event) => event.id)}::uuid[]) as k(id) cross join lateral (
              select ctid as place from pending_events where account_id = ${accountId} and id = k.id limit 1
            ) p
          ))
          returning id, name, contact_id, external_id, email
        ), failed as (
          insert into failed_events (account_id, id, name, code, contact_id, external_id, email)
          select ${accountId}::uuid, g.id, g.name, r.code, g.contact_id, g.external_id, g.email
          from rows from (
            unnest(${failed.map((event) => event.id)}::uuid[]),
            unnest(${failed.map((event) => event.failure)}::text[])
          ) as r(id, code) join gone g on g.id = r.id
        )
        select svc_conflict('events_pending') from (select count(*) as rows from gone) g
        where g.rows <> ${events.length}::int`).pipe(ifAny(events))
    },
    list: (accountId, filter, page) =>
      orUnavailable(sql<PageRow>`
        select c.total, p.* from (select ${total(accountId, filter, page)} as total) c
        left join lateral (
          ${detailed(
            accountId,
            sql`select id from (${filtered(accountId, filter, page, "Page")}) f
              order by ${sortedBy(sql, page, byId)} limit ${page.pageSize + 1}`
          )}
        ) p on true order by ${sortedBy(sql, page, [{ column: "p.id", kind: "Id" }])}`).pipe(
        Effect.flatMap((rows) =>
          toPage(rows, page, {
            decode: summaries.decode,
            placeOf: placeById,
            explained: sql<PlanRow>`explain (format json) ${filtered(accountId, filter, page, "All")}`
          })
        )
      ),
    find: (accountId, ids) =>
      Effect.map(
        orUnavailable(sql<object>`${detailed(accountId, sql`select distinct unnest(${ids}::uuid[]) as id`)}`),
        (rows) => rows.map(summaries.decode)
      ).pipe(ifAny(ids)),
    // Ids contain the time at which an event was accepted, so the primary key serves as the index by day.
    countByDay: (accountId, days) =>
      countsOf(
        sql`
          select d.place::int, c.count from rows from (
            unnest(${days.map(({ from }) => firstIdAt(from))}::uuid[]),
            unnest(${days.map(({ to }) => firstIdAt(to))}::uuid[])
          ) with ordinality as d(first, after, place) cross join lateral (
            select count(*)::float8 as count from events_all
            where account_id = ${accountId} and id >= d.first and id < d.after
          ) c`,
        days
      ),
    erase
  })
}).pipe(Layer.effect(EventStore))
