/**
 * Stores timelines of contacts in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { takenStatuses, type TimelineEntry, TimelineStore } from "../../core/ports/TimelineStore.ts"
import { offsetOf, type PageRequest, placeBy } from "../../core/shared/Page.ts"
import { arrayOf, columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import {
  behind,
  type PageRow,
  type PlanRow,
  type SortColumn,
  sortedBy,
  sourceLimit,
  toPage,
  totalOf
} from "./sql/pages.ts"
import { execute, idsOf, ifAny } from "./sql/results.ts"

const columns = columnsOf<TimelineEntry>({
  id: "uuid",
  contactId: "uuid",
  name: "text",
  occurredAt: "timestamptz",
  properties: "jsonb",
  source: "text"
})

const inside: ReadonlyArray<SortColumn> = [
  { column: "occurred_at", kind: "Time" },
  { column: "id", kind: "Id" }
]

const shown: ReadonlyArray<SortColumn> = [
  { column: `p."occurredAt"`, kind: "Time" },
  { column: "p.id", kind: "Id" }
]

const none: ReadonlySet<string> = new Set()

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const selected = sql.literal(columns.selected("timeline"))

  /** The stored entries of a contact, and those for the campaigns' emails to the contact: `campaignEmailEntry` in SQL. */
  const sourcesOf = (accountId: string, contactId: string): ReadonlyArray<Fragment> => [
    sql`select id, contact_id, name, occurred_at, properties, source from timeline
      where account_id = ${accountId} and contact_id = ${contactId}`,
    sql`select delivery_id as id, contact_id, 'email.sent' as name, decided_at as occurred_at,
        jsonb_build_object('messageId', delivery_id, 'campaignId', campaign_id) as properties, 'Service' as source
      from campaign_recipients
      where account_id = ${accountId} and contact_id = ${contactId} and state = 'Submitted' and (
        select status = any(${takenStatuses}::text[]) from deliveries d
        where d.account_id = campaign_recipients.account_id and d.id = delivery_id limit 1
      )`
  ]

  const list = Effect.fnUntraced(function* (accountId: string, contactId: string, page: PageRequest) {
    const sources = sourcesOf(accountId, contactId)
    const ordered = sql`order by ${sortedBy(sql, page, inside)}`
    const all = (from: PageRequest, ending: Fragment) =>
      sql.join(
        " union all ",
        false
      )(
        sources.map(
          (source) =>
            sql`(select * from (${source}) t where ${behind(sql, from, inside)} ${ordered} ${ending})`
        )
      )
    const whole = { ...page, after: null }
    const rows = yield* orUnavailable(sql<PageRow>`
      select c.*, p.* from (${totalOf(sql, page, (limit) => all(whole, limit), null)}) c left join lateral (
        select ${selected} from (${all(page, sourceLimit(sql, page))}) timeline
        ${ordered} limit ${page.pageSize + 1} offset ${offsetOf(page)}
      ) p on true order by ${sortedBy(sql, page, shown)}`)
    return yield* toPage(rows, page, {
      decode: columns.decode,
      placeOf: placeBy("occurredAt"),
      explained: sql<PlanRow>`explain (format json) ${sql.join(" union all ", false)(sources)}`
    })
  })

  // The lock makes an erasure and an addition wait for each other, so that an erased contact gets no more entries. Contacts
  // are locked in one order, so that two overlapping batches cannot deadlock. They are found by their key only, because
  // otherwise the planner uses a partial index of contacts that are not erased.
  const append = (accountId: string, entries: ReadonlyArray<TimelineEntry>, written: ReadonlySet<string>) => {
    const contactIds = [...new Set(entries.map((entry) => entry.contactId))]
    const parameters: Array<unknown> = [
      accountId,
      arrayOf(contactIds.filter((id) => !written.has(id))),
      arrayOf(contactIds.filter((id) => written.has(id)))
    ]
    const { from, values } = columns.unnest(entries, (value) => `$${parameters.push(value)}`)
    const text = `
      with alive as materialized (
        select c.id from (
          select unnest($2::uuid[]) as id order by 1
        ) k cross join lateral (
          select id, erased_at from contacts where account_id = $1::uuid and id = k.id limit 1 for share
        ) c
        where c.erased_at is null
        union all select unnest($3::uuid[])
      )
      insert into timeline (account_id, ${columns.names})
      select $1::uuid, e.* from (select ${values} from ${from}) e
      where (e."contactId" in (select id from alive)) is true
      order by e.id
      on conflict (account_id, id) do nothing returning id`
    return idsOf(sql.unsafe(text, parameters))
  }

  return TimelineStore.of({
    append: (accountId, entries, written = none) =>
      entries.length === 0 ? Effect.succeed([]) : append(accountId, entries, written),
    list,
    remove: (accountId, ids) =>
      execute(sql`
        delete from timeline where ctid = any(array(
          select t.place from unnest(${ids}::uuid[]) as k(id) cross join lateral (
            select ctid as place from timeline where account_id = ${accountId} and id = k.id limit 1
          ) t
        ))`).pipe(ifAny(ids)),
    erase: (accountId, contactIds) =>
      execute(sql`
        delete from timeline where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`).pipe(
        ifAny(contactIds)
      ),
    eraseStore: (accountId, contactIds, storeId) =>
      execute(sql`
        delete from timeline where ctid = any(array(
          select t.place from unnest(${contactIds}::uuid[]) as k(id) cross join lateral (
            select ctid as place from timeline
            where account_id = ${accountId} and contact_id = k.id and source = 'Store'
              and properties ->> 'storeId' = ${storeId}
            order by occurred_at offset 0
          ) t
        ))`).pipe(ifAny(contactIds))
  })
}).pipe(Layer.effect(TimelineStore))
