/**
 * Erases companies from the database. Rows are deleted from every table with a column for the account or the company. The
 * tables are found in the system catalogue, so that none can be missed.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { noAccount } from "../../core/model/Account.ts"
import { CompanyEraser } from "../../core/ports/CompanyEraser.ts"
import { orUnavailable } from "./sql/errors.ts"
import { countOf, execute } from "./sql/results.ts"

/** A table with rows that belong to companies. */
interface OwnedTable {
  /** The quoted name. */
  readonly name: string
  readonly column: "account_id" | "company_id"
  /** The quoted columns of the primary key, for a partitioned table, where a ctid does not identify a row; else null. */
  readonly key: string | null
}

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient

  // Tables that others reference come last. The table of accounts is omitted, because the other rows are found by it.
  const tables = orUnavailable(sql<OwnedTable>`
    select quote_ident(c.relname) as name, a.attname::text as column,
      case when c.relkind = 'p' then (
        select string_agg(quote_ident(k.attname), ', ') from pg_index i
        join pg_attribute k on k.attrelid = c.oid and k.attnum = any(i.indkey)
        where i.indrelid = c.oid and i.indisprimary
      ) end as key
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attname in ('account_id', 'company_id') and not a.attisdropped and c.relname <> 'accounts'
    order by exists (select from pg_constraint f where f.confrelid = c.oid), c.relname, a.attname`)

  const eraseFrom = ({ column, key, name }: OwnedTable, ids: ReadonlyArray<string>, limit: number) => {
    const table = sql.literal(name)
    const owned = sql`${sql.literal(column)} = any(${ids}::uuid[])`
    const found =
      key === null
        ? sql`ctid = any(array(select ctid from ${table} where ${owned} limit ${limit}))`
        : sql`${owned} and (${sql.literal(key)}) in (select ${sql.literal(key)} from ${table} where ${owned} limit ${limit})`
    return countOf(sql`
      with gone as (delete from ${table} where ${found} returning 1) select count(*)::int as count from gone`)
  }

  return CompanyEraser.of({
    erase: Effect.fnUntraced(function* ({ id, liveAccountId, sandboxAccountId }, limit) {
      const accounts = [liveAccountId, sandboxAccountId].filter((one) => one !== noAccount)
      let gone = 0
      for (const table of yield* tables) {
        gone += yield* eraseFrom(table, table.column === "account_id" ? accounts : [id], limit)
      }
      if (gone > 0) return gone
      yield* execute(sql`
        with gone as (delete from accounts where company_id = ${id}) delete from companies where id = ${id}`)
      return 0
    })
  })
}).pipe(Layer.effect(CompanyEraser))
