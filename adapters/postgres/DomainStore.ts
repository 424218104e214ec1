/**
 * Stores sending domains in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { DomainStore } from "../../core/ports/DomainStore.ts"
import { domainStatuses, type SendingDomain } from "../../core/model/Domain.ts"
import { columnsOf } from "./sql/columns.ts"
import { countsOf, execute, first, ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

/** The columns of `domains`. */
export const domains = columnsOf<SendingDomain>({
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
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("domains", domains)
  const recordset = sql.literal(`r(${domains.recordset})`)

  return DomainStore.of({
    insert: (domain) => table.insertOrConflict([domain]),
    save: (saved) =>
      execute(sql`
        update domains d set status = r.status, records = r.records, keys = r.keys,
          failed_checks = r."failedChecks", checked_at = r."checkedAt", verified_at = r."verifiedAt"
        from json_to_recordset(${domains.encode(saved)}::json) as ${recordset}
        where d.account_id = r."accountId" and d.id = r.id`).pipe(ifAny(saved)),
    find: (refs) => table.lookUp(refs),
    lock: (refs) => table.lookUp(refs, "for update"),
    get: (accountId, id) =>
      first(table.select(sql`from domains where account_id = ${accountId} and id = ${id}`)),
    named: (accountId, domain) =>
      first(table.select(sql`from domains where account_id = ${accountId} and domain = ${domain}`)),
    remove: (accountId, id) =>
      first(table.returning(sql`delete from domains where account_id = ${accountId} and id = ${id}`)),
    list: (accountId, page) => table.page(page, sql`account_id = ${accountId}`),
    verified: (accountIds) =>
      table
        .select(sql`
          from domains where account_id = any(${accountIds}::uuid[]) and status = 'Verified'`)
        .pipe(ifAny(accountIds)),
    verifiedByName: (names) =>
      table
        .select(sql`from domains where domain = any(${names}::text[]) and status = 'Verified'`)
        .pipe(ifAny(names)),
    counts: countsOf(
      domainStatuses,
      sql`select status, count(*)::float8 as count from domains group by status`
    )
  })
}).pipe(Layer.effect(DomainStore))
