/**
 * Sending domains in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type DomainRef, DomainStore } from "../../core/ports/DomainStore.ts"
import type { SendingDomain } from "../../core/model/Domain.ts"
import { offsetOf } from "../../core/shared/Page.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable, orConflict } from "./sql/errors.ts"
import { pageOf, type PageRow } from "./sql/pages.ts"

/** Domains as rows. */
export const domains = columnsOf({
  accountId: "uuid",
  id: "uuid",
  domain: "text",
  status: "text",
  records: "jsonb",
  keys: "jsonb",
  failedChecks: "integer",
  checkedAt: "timestamptz",
  verifiedAt: "timestamptz",
  createdAt: "timestamptz"
} satisfies Record<keyof SendingDomain, string>)

const toDomain = (row: object): SendingDomain => domains.decode<SendingDomain>(row)

const first = (rows: ReadonlyArray<object>): SendingDomain | null =>
  rows[0] === undefined ? null : toDomain(rows[0])

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  DomainStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(domains.selected("d"))
    const names = sql.literal(domains.names)
    const fields = sql.literal(domains.fields)
    const recordset = sql.literal(`r(${domains.recordset})`)

    /** In one order, so that two transactions that lock never wait for each other. */
    const named = (refs: ReadonlyArray<DomainRef>) => sql`(
      select distinct account_id, id
      from unnest(${refs.map((ref) => ref.accountId)}::uuid[], ${refs.map((ref) => ref.id)}::uuid[]) as r(account_id, id)
      order by account_id, id
    ) k`

    return DomainStore.of({
      insert: (domain) =>
        Effect.asVoid(
          orConflict(sql`
            insert into domains (${names})
            select ${fields} from json_to_recordset(${domains.encode([domain])}::json) as ${recordset}`)
        ),
      save: (saved) =>
        saved.length === 0
          ? Effect.void
          : Effect.asVoid(
              orUnavailable(sql`
                update domains d set status = r.status, records = r.records, keys = r.keys,
                  failed_checks = r."failedChecks", checked_at = r."checkedAt", verified_at = r."verifiedAt"
                from json_to_recordset(${domains.encode(saved)}::json) as ${recordset}
                where d.account_id = r."accountId" and d.id = r.id`)
            ),
      find: (refs) =>
        refs.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql<object>`
                select ${columns} from ${named(refs)} cross join lateral (
                  select * from domains where account_id = k.account_id and id = k.id limit 1
                ) d`),
              (rows) => rows.map(toDomain)
            ),
      lock: (refs) =>
        refs.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql<object>`
                select ${columns} from ${named(refs)} cross join lateral (
                  select * from domains where account_id = k.account_id and id = k.id limit 1 for update
                ) d`),
              (rows) => rows.map(toDomain)
            ),
      get: (accountId, id) =>
        Effect.map(
          orUnavailable(
            sql<object>`select ${columns} from domains d where account_id = ${accountId} and id = ${id}`
          ),
          first
        ),
      remove: (accountId, id) =>
        Effect.map(
          orUnavailable(
            sql<object>`delete from domains d where account_id = ${accountId} and id = ${id} returning ${columns}`
          ),
          first
        ),
      list: (accountId, page) =>
        Effect.map(
          orUnavailable(sql<PageRow>`
            select c.total, p.* from (select count(*)::int as total from domains where account_id = ${accountId}) c
            left join lateral (
              select ${columns} from domains d where account_id = ${accountId}
              order by created_at desc, id desc limit ${page.pageSize} offset ${offsetOf(page)}
            ) p on true order by p."createdAt" desc, p.id desc`),
          (rows) => pageOf(rows, page, toDomain)
        ),
      verified: (accountIds) =>
        accountIds.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql<object>`
                select ${columns} from domains d
                where account_id = any(${accountIds}::uuid[]) and status = 'Verified'`),
              (rows) => rows.map(toDomain)
            )
    })
  })
)
