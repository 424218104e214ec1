/**
 * Stores contacts and consent history in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import {
  type ContactChanges,
  type ContactKeys,
  ContactStore,
  type ContactTouch,
  type ContactUntouch
} from "../../core/ports/ContactStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { columnsOf } from "./sql/columns.ts"
import { consents, toContact } from "./contacts/columns.ts"
import {
  findStatement,
  holdInsertsText,
  lockStatement,
  movedText,
  releaseStatement,
  writeStatement
} from "./contacts/statements.ts"
import { countsOf, dayRows } from "./sql/days.ts"
import { orUnavailable } from "./sql/errors.ts"
import { countOf, execute, executeOrConflict, idsOf, ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const touchColumns = columnsOf<ContactTouch>({
  email: "text",
  field: "text",
  at: "timestamptz"
})

const isEmpty = ({ consents: entries, inserts, updates }: ContactChanges): boolean =>
  inserts.length === 0 && updates.length === 0 && entries.length === 0

const namesNone = ({ emails, externalIds, ids }: ContactKeys): boolean =>
  ids.length + externalIds.length + emails.length === 0

const untouchColumns = columnsOf<ContactUntouch>({
  email: "text",
  field: "text",
  from: "timestamptz",
  to: "timestamptz"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { run } = yield* Transaction
  const history = yield* tableOf("consents", consents, ["at", "id"])
  const touchRecord = sql.literal(touchColumns.recordset)
  const movedReturning = sql.literal(movedText.returning)
  const activityInsertion = sql.literal(movedText.insertion)
  const untouchRecord = sql.literal(untouchColumns.recordset)

  return ContactStore.of({
    find: (accountId, keys) =>
      Effect.suspend(() => {
        if (namesNone(keys)) return Effect.succeed([])
        const { parameters, text } = findStatement(accountId, keys)
        return Effect.map(orUnavailable(sql.unsafe(text, parameters).values), (rows) => rows.map(toContact))
      }),
    lock: (accountId, keys) =>
      Effect.suspend(() => {
        if (namesNone(keys)) return Effect.void
        const { parameters, text } = lockStatement(accountId, keys)
        return execute(sql.unsafe(text, parameters))
      }),
    holdInserts: (accountId) => execute(sql.unsafe(holdInsertsText, [accountId])),
    count: (accountId) =>
      countOf(sql`select contacts::float8 as count from contact_counts where account_id = ${accountId}`),
    countByDay: (accountId, days) =>
      countsOf(
        sql`
          select d.place::int, c.count from ${dayRows(sql, days)} cross join lateral (
            select count(*)::float8 as count from contacts
            where account_id = ${accountId} and added_at >= d.since and added_at < d.until
              and erased_at is null
          ) c`,
        days
      ),
    write: (accountId, changes) =>
      Effect.suspend(() => {
        if (isEmpty(changes)) return Effect.void
        const { parameters, text } = writeStatement(accountId, changes)
        const write = executeOrConflict(sql.unsafe(text, parameters))
        if (changes.released.length === 0) return write
        const ids = new Set(changes.released)
        const release = releaseStatement(
          accountId,
          changes.updates.filter((contact) => ids.has(contact.id))
        )
        return run(Effect.andThen(executeOrConflict(sql.unsafe(release.text, release.parameters)), write))
      }),
    // An upsert of rows that were found and locked changes them by their key, and in one order.
    touch: (accountId, touches) =>
      execute(sql`
        with moved as (insert into contacts as c (account_id, id, consent_status, attributes, added_at, version,
          last_emailed_at, last_open_at, last_click_at)
        select c.account_id, c.id, c.consent_status, c.attributes, c.added_at, c.version + 1,
          greatest(c.last_emailed_at, t.emailed), greatest(c.last_open_at, t.opened),
          greatest(c.last_click_at, t.clicked)
        from (
          select k.id, m.* from (
            select email, max(at) filter (where field = 'lastEmailedAt') as emailed,
              max(at) filter (where field = 'lastOpenAt') as opened,
              max(at) filter (where field = 'lastClickAt') as clicked
            from json_to_recordset(${touchColumns.encode(touches)}::json) as r(${touchRecord})
            group by email
          ) m cross join lateral (
            select id from contacts where account_id = ${accountId} and email = m.email limit 1
          ) k
          order by k.id
        ) t cross join lateral (
          select * from contacts
          where account_id = ${accountId} and id = t.id and email = t.email and (
            coalesce(t.emailed > coalesce(last_emailed_at, '-infinity'), false)
            or coalesce(t.opened > coalesce(last_open_at, '-infinity'), false)
            or coalesce(t.clicked > coalesce(last_click_at, '-infinity'), false)
          )
          limit 1 for no key update
        ) c
        on conflict (account_id, id) do update set version = excluded.version,
          last_emailed_at = excluded.last_emailed_at, last_open_at = excluded.last_open_at,
          last_click_at = excluded.last_click_at ${movedReturning}) ${activityInsertion}`).pipe(
        ifAny(touches)
      ),
    // An upsert, as in `touch`.
    untouch: (accountId, untouches) =>
      execute(sql`
        with moved as (insert into contacts as c (account_id, id, consent_status, attributes, added_at, version,
          last_open_at, last_click_at)
        select c.account_id, c.id, c.consent_status, c.attributes, c.added_at, c.version + 1,
          case when c.last_open_at = t.opened_from then t.opened_to else c.last_open_at end,
          case when c.last_click_at = t.clicked_from then t.clicked_to else c.last_click_at end
        from (
          select k.id, m.* from (
            select email, max("from") filter (where field = 'lastOpenAt') as opened_from,
              max("to") filter (where field = 'lastOpenAt') as opened_to,
              max("from") filter (where field = 'lastClickAt') as clicked_from,
              max("to") filter (where field = 'lastClickAt') as clicked_to
            from json_to_recordset(${untouchColumns.encode(untouches)}::json) as r(${untouchRecord})
            group by email
          ) m cross join lateral (
            select id from contacts where account_id = ${accountId} and email = m.email limit 1
          ) k
          order by k.id
        ) t cross join lateral (
          select * from contacts
          where account_id = ${accountId} and id = t.id and email = t.email and (
            coalesce(last_open_at = t.opened_from, false) or coalesce(last_click_at = t.clicked_from, false)
          )
          limit 1 for no key update
        ) c
        on conflict (account_id, id) do update set version = excluded.version,
          last_open_at = excluded.last_open_at, last_click_at = excluded.last_click_at
        ${movedReturning}) ${activityInsertion}`).pipe(ifAny(untouches)),
    eraseConsents: (accountId, contactIds) =>
      execute(sql`
        delete from consents where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`).pipe(
        ifAny(contactIds)
      ),
    ofStore: (accountId, storeId, limit) =>
      idsOf(sql`
        select id from contacts where account_id = ${accountId} and store_id = ${storeId} and erased_at is null
        order by account_id, store_id, added_at, id limit ${limit}`),
    erasedHashes: (accountId, hashes) =>
      idsOf(sql`
        select k.hash as id from (select distinct unnest(${hashes}::text[]) as hash) k
        where exists (select from contacts where account_id = ${accountId} and address_hash = k.hash)
          or exists (select from erased_addresses where account_id = ${accountId} and hash = k.hash)`).pipe(
        ifAny(hashes)
      ),
    rememberErased: (accountId, hashes) =>
      execute(sql`
        insert into erased_addresses (account_id, hash)
        select ${accountId}::uuid, hash from unnest(${hashes}::text[]) as k(hash) on conflict do nothing`),
    consentHistory: (accountId, contactId, page) =>
      history.page(page, sql`account_id = ${accountId} and contact_id = ${contactId}`)
  })
}).pipe(Layer.effect(ContactStore))
