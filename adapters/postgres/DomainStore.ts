/**
 * Sending domains in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { DomainStore } from "../../core/ports/DomainStore.ts"
import type { SendingDomain } from "../../core/sending/Domain.ts"
import { offsetOf } from "../../core/shared/Page.ts"
import { available, refusable } from "./errors.ts"
import { pageOf, type PageRow } from "./pages.ts"

interface DomainRow {
  readonly id: string
  readonly accountId: string
  readonly domain: string
  readonly status: SendingDomain["status"]
  readonly records: SendingDomain["records"]
  readonly verifiedAt: Date | null
  readonly createdAt: Date
}

type ListedRow = PageRow & DomainRow

const toDomain = (row: DomainRow): SendingDomain => ({
  id: row.id,
  accountId: row.accountId,
  domain: row.domain,
  status: row.status,
  records: row.records,
  verifiedAt: row.verifiedAt?.getTime() ?? null,
  createdAt: row.createdAt.getTime()
})

const first = (rows: ReadonlyArray<DomainRow>): SendingDomain | null =>
  rows[0] === undefined ? null : toDomain(rows[0])

const dateOf = (millis: number | null): Date | null => (millis === null ? null : new Date(millis))

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  DomainStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(
      `id, account_id as "accountId", domain, status, records, verified_at as "verifiedAt", created_at as "createdAt"`
    )

    return DomainStore.of({
      insert: ({ accountId, createdAt, domain, id, records, status, verifiedAt }) =>
        Effect.asVoid(
          refusable(sql`
            insert into domains (account_id, id, domain, status, records, verified_at, created_at)
            values (${accountId}, ${id}, ${domain}, ${status}, ${JSON.stringify(records)}::jsonb,
              ${dateOf(verifiedAt)}::timestamptz, ${new Date(createdAt)})`)
        ),
      save: ({ accountId, id, records, status, verifiedAt }) =>
        Effect.asVoid(
          available(sql`
            update domains set status = ${status}, records = ${JSON.stringify(records)}::jsonb,
              verified_at = ${dateOf(verifiedAt)}::timestamptz
            where account_id = ${accountId} and id = ${id}`)
        ),
      get: (accountId, id) =>
        Effect.map(
          available(
            sql<DomainRow>`select ${columns} from domains where account_id = ${accountId} and id = ${id}`
          ),
          first
        ),
      remove: (accountId, id) =>
        Effect.map(
          available(
            sql<DomainRow>`delete from domains where account_id = ${accountId} and id = ${id} returning ${columns}`
          ),
          first
        ),
      list: (accountId, page) =>
        Effect.map(
          available(sql<ListedRow>`
            select c.total, p.* from (select count(*)::int as total from domains where account_id = ${accountId}) c
            left join lateral (
              select ${columns} from domains where account_id = ${accountId}
              order by created_at desc, id desc limit ${page.pageSize} offset ${offsetOf(page)}
            ) p on true order by p."createdAt" desc, p.id desc`),
          (rows) => pageOf(rows, page, toDomain)
        ),
      verified: (accountIds) =>
        accountIds.length === 0
          ? Effect.succeed([])
          : Effect.map(
              available(sql<DomainRow>`
                select ${columns} from domains
                where account_id = any(${accountIds}::uuid[]) and status = 'Verified'`),
              (rows) => rows.map(toDomain)
            )
    })
  })
)
