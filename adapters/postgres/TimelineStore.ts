/**
 * Timelines of contacts in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type TimelineEntry, TimelineStore } from "../../core/ports/TimelineStore.ts"
import { arrayOf, columnsOf } from "./sql/columns.ts"
import { execute, idsOf, ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<TimelineEntry>({
  id: "uuid",
  contactId: "uuid",
  name: "text",
  occurredAt: "timestamptz",
  properties: "jsonb",
  source: "text"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("timeline", columns, ["occurredAt", "id"])

  // The lock makes an erasure and an addition wait for each other: an erased contact gets no more entries. Contacts are
  // locked in one order, so that two overlapping batches wait only one way; by their key alone, since otherwise the
  // planner takes a partial index of those that are not erased.
  const append = (accountId: string, entries: ReadonlyArray<TimelineEntry>) => {
    const parameters: Array<unknown> = [accountId, arrayOf(entries.map((entry) => entry.contactId))]
    const { from, values } = columns.unnest(entries, (value) => `$${parameters.push(value)}`)
    const text = `
      with alive as materialized (
        select c.id from (
          select distinct unnest($2::uuid[]) as id order by 1
        ) k cross join lateral (
          select id, erased_at from contacts where account_id = $1::uuid and id = k.id limit 1 for share
        ) c
        where c.erased_at is null
      )
      insert into timeline (account_id, ${columns.names})
      select $1::uuid, e.* from (select ${values} from ${from}) e
      where (e."contactId" in (select id from alive)) is true
      order by e.id
      on conflict (account_id, id) do nothing returning id`
    return idsOf(sql.unsafe(text, parameters))
  }

  return TimelineStore.of({
    append: (accountId, entries) => (entries.length === 0 ? Effect.succeed([]) : append(accountId, entries)),
    list: (accountId, contactId, page) =>
      table.page(page, sql`account_id = ${accountId} and contact_id = ${contactId}`),
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
