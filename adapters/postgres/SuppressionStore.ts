/**
 * The suppression list in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type AddressRef, type Holdings, SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import type { Suppression } from "../../core/model/Suppression.ts"
import { offsetOf } from "../../core/shared/Page.ts"
import { orUnavailable } from "./sql/errors.ts"
import { pageOf } from "./sql/pages.ts"

/** An entry as a row, or as one that came as JSON, which has the moment as a text. */
export interface SuppressionRow {
  readonly accountId: string
  readonly email: string
  readonly kind: Suppression["kind"]
  readonly createdAt: Date | string
}

interface ListedRow extends SuppressionRow {
  readonly total: number
  readonly id: string | null
}

/** What a `select` answers of the table `suppressions`. */
const suppressionColumns = `account_id as "accountId", email, kind, created_at as "createdAt"`

/** The entry of a row. */
export const toSuppression = ({ accountId, createdAt, email, kind }: SuppressionRow): Suppression => ({
  accountId,
  email,
  kind,
  createdAt: new Date(createdAt).getTime()
})

/** The entries of addresses: `wanted` answers each `account` and `address` once. */
export const listed = (sql: SqlClient, wanted: Fragment) =>
  // The limit keeps each a look-up by key, whatever the planner thinks of the table.
  sql<SuppressionRow>`
    select ${sql.literal(suppressionColumns)} from (${wanted}) wanted cross join lateral (
      select * from suppressions where account_id = account and email = address limit 1
    ) s`

/** One entry for each address: a statement cannot touch a row twice. The last kind, the first time. */
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
export const layer = Layer.effect(
  SuppressionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(suppressionColumns)

    const find = (refs: ReadonlyArray<AddressRef>) =>
      orUnavailable(
        listed(
          sql,
          sql`select distinct * from rows from (
            unnest(${refs.map((ref) => ref.accountId)}::uuid[]), unnest(${refs.map((ref) => ref.email)}::text[])
          ) as r(account, address)`
        )
      )

    // In one order, so that two batches that overlap never wait for each other.
    const put = (entries: ReadonlyArray<Suppression>) =>
      orUnavailable(sql`
        insert into suppressions as s (account_id, email, kind, created_at)
        select account_id, email, kind, created_at from rows from (
          unnest(${entries.map((entry) => entry.accountId)}::uuid[]),
          unnest(${entries.map((entry) => entry.email)}::text[]),
          unnest(${entries.map((entry) => entry.kind)}::text[]),
          unnest(${entries.map((entry) => new Date(entry.createdAt).toISOString())}::timestamptz[])
        ) as r(account_id, email, kind, created_at)
        order by account_id, email collate "C"
        on conflict (account_id, email) do update set kind = excluded.kind`)

    /** Puts entries under other names, where they are listed. The limit keeps each a look-up by key, as above. */
    const rename = (
      accountId: string,
      from: ReadonlyArray<string>,
      to: ReadonlyArray<string>,
      onConflict: string
    ) =>
      from.length === 0
        ? Effect.void
        : Effect.asVoid(
            orUnavailable(sql`
              with names as materialized (
                select distinct * from rows from (unnest(${from}::text[]), unnest(${to}::text[])) as r(earlier, later)
              ), gone as (
                delete from suppressions where ctid = any(array(
                  select s.place from (select earlier from names order by earlier collate "C") n cross join lateral (
                    select ctid as place from suppressions where account_id = ${accountId} and email = n.earlier limit 1
                  ) s
                ))
                returning email, kind, created_at
              )
              insert into suppressions (account_id, email, kind, created_at)
              select ${accountId}::uuid, n.later, g.kind, g.created_at from gone g join names n on n.earlier = g.email
              order by n.later collate "C"
              on conflict (account_id, email) ${sql.literal(onConflict)}`)
          )

    return SuppressionStore.of({
      // In one order, so that two that list in several accounts wait for each other only one way.
      lock: (accountIds, purpose) =>
        Effect.asVoid(
          orUnavailable(sql`
            select ${sql.literal(purpose === "Listing" ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared")}(key)
            from (
              select distinct hashtextextended('suppressions:' || id, 0) as key from unnest(${accountIds}::text[]) as id
              order by key
            ) keys`)
        ),
      find: (refs) =>
        refs.length === 0 ? Effect.succeed([]) : Effect.map(find(refs), (rows) => rows.map(toSuppression)),
      put: (entries) => (entries.length === 0 ? Effect.void : Effect.asVoid(put(eachOnce(entries)))),
      remove: (accountId, email) =>
        Effect.map(
          orUnavailable(sql<SuppressionRow>`
            delete from suppressions where account_id = ${accountId} and email = ${email} returning ${columns}`),
          (rows) => (rows[0] === undefined ? null : toSuppression(rows[0]))
        ),
      erase: (accountId, addresses) =>
        rename(
          accountId,
          addresses.map(({ email }) => email),
          addresses.map(({ hash }) => hash),
          "do update set kind = excluded.kind"
        ),
      holds: (accountId) =>
        Effect.map(
          orUnavailable(sql<Holdings>`
            select
              exists (select from suppressions where account_id = ${accountId} limit 1) as listed,
              exists (select from suppressions where account_id = ${accountId} and strpos(email, '@') = 0 limit 1) as erased`),
          (rows) => rows[0]!
        ),
      restore: (accountId, addresses) =>
        rename(
          accountId,
          addresses.map(({ hash }) => hash),
          addresses.map(({ email }) => email),
          "do nothing"
        ),
      list: (accountId, page) =>
        Effect.map(
          orUnavailable(sql<ListedRow>`
            select c.total, p.* from (
              select count(*)::int as total from suppressions where account_id = ${accountId}
            ) c
            left join lateral (
              select email as id, ${columns} from suppressions where account_id = ${accountId}
              order by created_at desc, email limit ${page.pageSize} offset ${offsetOf(page)}
            ) p on true order by p."createdAt" desc, p.email`),
          (rows) => pageOf(rows, page, toSuppression)
        )
    })
  })
)
