/**
 * Stores the suppression list in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type Holdings, SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import type { Suppression } from "../../core/model/Suppression.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { execute, first, ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

/** The columns of `suppressions`. */
export const suppressionColumns = columnsOf<Suppression>({
  accountId: "uuid",
  email: "text",
  kind: "text",
  source: "text",
  createdAt: "timestamptz"
})

/**
 * The entries of addresses, for use after `select`. `wanted` returns each pair of `account` and `address` once. The limit makes
 * each a look-up by key, whatever the planner's statistics.
 */
export const listed = (sql: SqlClient, wanted: Fragment) => sql`
  from (${wanted}) wanted cross join lateral (
    select * from suppressions where account_id = account and email = address limit 1
  ) suppressions`

/** One entry for each address, with its last kind and first time. A statement cannot write a row twice. */
const eachOnce = (entries: ReadonlyArray<Suppression>): ReadonlyArray<Suppression> => {
  const each = new Map<string, Suppression>()
  for (const entry of entries) {
    const name = `${entry.accountId} ${entry.email}`
    const earlier = each.get(name)
    each.set(name, earlier === undefined ? entry : { ...earlier, kind: entry.kind })
  }
  return [...each.values()]
}

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("suppressions", suppressionColumns, ["createdAt", "email"])

  /** Copies entries to other addresses. The limit makes each a look-up by key, as above. */
  const rename = (
    accountId: string,
    from: ReadonlyArray<string>,
    to: ReadonlyArray<string>,
    onConflict: string
  ) =>
    execute(sql`
      with names as materialized (
        select distinct * from rows from (unnest(${from}::text[]), unnest(${to}::text[])) as r(earlier, later)
      ), gone as (
        delete from suppressions where ctid = any(array(
          select s.place from (select earlier from names order by earlier collate "C") n cross join lateral (
            select ctid as place from suppressions where account_id = ${accountId} and email = n.earlier limit 1
          ) s
        ))
        returning email, kind, source, created_at
      )
      insert into suppressions (account_id, email, kind, source, created_at)
      select ${accountId}::uuid, n.later, g.kind, g.source, g.created_at from gone g join names n on n.earlier = g.email
      order by n.later collate "C"
      on conflict (account_id, email) ${sql.literal(onConflict)}`).pipe(ifAny(from))

  return SuppressionStore.of({
    // Sorted, so that two callers that lock several accounts cannot deadlock.
    lock: (accountIds, purpose) =>
      execute(sql`
        select ${sql.literal(purpose === "Listing" ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared")}(key)
        from (
          select distinct hashtextextended('suppressions:' || id, 0) as key from unnest(${accountIds}::text[]) as id
          order by key
        ) keys`),
    find: (refs) =>
      table
        .select(
          listed(
            sql,
            sql`select distinct * from rows from (
              unnest(${refs.map((ref) => ref.accountId)}::uuid[]), unnest(${refs.map((ref) => ref.email)}::text[])
            ) as r(account, address)`
          )
        )
        .pipe(ifAny(refs)),
    // Sorted, so that two overlapping batches cannot deadlock.
    put: (entries) =>
      table.insertMany(
        eachOnce(entries),
        `order by "accountId", email collate "C" on conflict (account_id, email) do update set kind = excluded.kind, source = excluded.source`
      ),
    remove: (accountId, email) =>
      table
        .returning(sql`delete from suppressions where account_id = ${accountId} and email = ${email}`)
        .pipe(first),
    erase: (accountId, addresses) =>
      rename(
        accountId,
        addresses.map(({ email }) => email),
        addresses.map(({ hash }) => hash),
        "do update set kind = excluded.kind, source = excluded.source"
      ),
    holds: (accountId) =>
      orUnavailable(sql<Holdings>`
        select
          exists (select from suppressions where account_id = ${accountId} limit 1) as listed,
          exists (select from suppressions where account_id = ${accountId} and strpos(email, '@') = 0 limit 1) as erased`).pipe(
        Effect.map((rows) => rows[0]!)
      ),
    restore: (accountId, addresses) =>
      rename(
        accountId,
        addresses.map(({ hash }) => hash),
        addresses.map(({ email }) => email),
        "do nothing"
      ),
    list: (accountId, page, filter = {}) => {
      const { kind = null, q = null, source = null } = filter
      const beginning = q === null ? sql`true` : sql`email >= ${q} and email < ${`${q}\u{10ffff}`}`
      return table.page(
        page,
        sql.and([sql`account_id = ${accountId}`, beginning]),
        [
          { column: "source", type: "text", values: source },
          { column: "kind", type: "text", values: kind }
        ],
        filter
      )
    }
  })
}).pipe(Layer.effect(SuppressionStore))
