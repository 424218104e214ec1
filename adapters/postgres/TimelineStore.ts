/**
 * Timelines of contacts in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type TimelineEntry, TimelineStore } from "../../core/ports/TimelineStore.ts"
import { offsetOf } from "../../core/shared/Page.ts"
import { arrayOf, columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { pageOf, type PageRow } from "./sql/pages.ts"

/** The columns of an entry. */
const timelineColumns = columnsOf({
  id: "uuid",
  contactId: "uuid",
  name: "text",
  occurredAt: "timestamptz",
  properties: "jsonb",
  source: "text"
} satisfies Record<keyof TimelineEntry, string>)

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  TimelineStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(timelineColumns.selected("timeline"))

    // The lock makes an erasure and an addition wait for each other: what is erased gets no more entries. Contacts are
    // taken in one order, so that two batches that overlap wait only one way; by their key alone, since a partial index
    // of those not erased would be taken in its place.
    const append = (accountId: string, entries: ReadonlyArray<TimelineEntry>) => {
      const parameters: Array<unknown> = [accountId, arrayOf(entries.map((entry) => entry.contactId))]
      const { from, values } = timelineColumns.unnest(entries, (value) => `$${parameters.push(value)}`)
      const text = `
        with alive as materialized (
          select c.id from (
            select distinct unnest($2::uuid[]) as id order by 1
          ) k cross join lateral (
            select id, erased_at from contacts where account_id = $1::uuid and id = k.id limit 1 for share
          ) c
          where c.erased_at is null
        )
        insert into timeline (account_id, ${timelineColumns.names})
        select $1::uuid, e.* from (select ${values} from ${from}) e
        where (e."contactId" in (select id from alive)) is true
        order by e.id
        on conflict (account_id, id) do nothing returning id`
      return orUnavailable(sql.unsafe<{ readonly id: string }>(text, parameters))
    }

    return TimelineStore.of({
      append: (accountId, entries) =>
        entries.length === 0
          ? Effect.succeed([])
          : Effect.map(append(accountId, entries), (rows) => rows.map((row) => row.id)),
      list: (accountId, contactId, page) =>
        Effect.map(
          orUnavailable(sql<PageRow>`
            select c.total, p.* from (
              select count(*)::int as total from timeline
              where account_id = ${accountId} and contact_id = ${contactId}
            ) c
            left join lateral (
              select ${columns} from timeline where account_id = ${accountId} and contact_id = ${contactId}
              order by occurred_at desc, id desc limit ${page.pageSize} offset ${offsetOf(page)}
            ) p on true order by p."occurredAt" desc, p.id desc`),
          (rows) => pageOf(rows, page, (row) => timelineColumns.decode<TimelineEntry>(row))
        ),
      erase: (accountId, contactIds) =>
        contactIds.length === 0
          ? Effect.void
          : Effect.asVoid(
              orUnavailable(sql`
                delete from timeline
                where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`)
            ),
      eraseStore: (accountId, contactIds, storeId) =>
        contactIds.length === 0
          ? Effect.void
          : Effect.asVoid(
              orUnavailable(sql`
                delete from timeline where ctid = any(array(
                  select t.place from unnest(${contactIds}::uuid[]) as k(id) cross join lateral (
                    select ctid as place from timeline
                    where account_id = ${accountId} and contact_id = k.id and source = 'Store'
                      and properties ->> 'storeId' = ${storeId}
                    order by occurred_at offset 0
                  ) t
                ))`)
            )
    })
  })
)
