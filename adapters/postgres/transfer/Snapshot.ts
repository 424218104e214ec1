/**
 * Reads all rows of a database as of one point in time, with bounded memory.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { schemaVersion } from "../engine/Migrations.ts"
import type { TransferFailed } from "./Place.ts"

/** A table, with its columns in order. */
export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** The columns that are not generated from others. */
  readonly written: ReadonlyArray<string>
  /** The size on disk, without indexes. */
  readonly bytes: number
}

/** The state of a sequence. */
export interface Sequence {
  readonly name: string
  readonly value: string
  readonly called: boolean
}

/** A source of rows: a database, or a backup file. */
export interface Source {
  /** The id of the source. An unfinished copy continues only with the same source. */
  readonly id: string
  readonly schema: number
  readonly tables: ReadonlyArray<Table>
  readonly sequences: ReadonlyArray<Sequence>
  /** Passes all rows in batches, one table after another. A row is the text of a composite value of PostgreSQL. */
  readonly read: <E, R>(
    take: (table: Table, lines: ReadonlyArray<string>) => Effect.Effect<void, E, R>
  ) => Effect.Effect<void, E | SqlError | TransferFailed, R>
}

/** The number of characters of the rows in a batch. A single row may have more. */
const batchSize = 4_000_000

/** Tables without data of the service. */
const ownTables = "^svc_(migrations|transfer.*)$"

/** The tables of the schema, by name, except unlogged ones. Their rows matter for only a minute, and a crash empties them. */
export const listTables = (sql: SqlClient) =>
  sql<Table>`
    select c.relname::text as name,
      (select sum(pg_table_size(t.relid)) from (
        select c.oid::regclass as relid union select relid from pg_partition_tree(c.oid)
      ) t)::float8 as bytes,
      array_agg(a.attname::text order by a.attnum) as columns,
      coalesce(array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = ''), '{}') as written
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relpersistence = 'p'
      and c.relname !~ ${ownTables}
    group by c.oid, c.relname order by c.relname`

const listSequences = Effect.fnUntraced(function* (sql: SqlClient) {
  const names = yield* sql<{ name: string }>`
    select relname::text as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'S' order by 1`
  return yield* Effect.forEach(names, ({ name }) =>
    Effect.map(
      sql<Omit<Sequence, "name">>`select last_value::text as value, is_called as called from ${sql(name)}`,
      ([state]) => ({ name, ...state! })
    )
  )
})

/** Settings of a session that determine how values are written. */
const textSettings = [
  "set local timezone = 'UTC'",
  "set local datestyle = 'ISO, MDY'",
  "set local intervalstyle = 'postgres'",
  "set local bytea_output = 'hex'",
  "set local extra_float_digits = 1",
  // All rows are read, in the order in which they are stored.
  "set local enable_seqscan = on",
  "set local synchronize_seqscans = off"
]

/** Reads the next rows of a cursor, limited by their bytes. A number of rows would not limit their size. */
const readerFunction = `create function svc_transfer_rows(source refcursor, most int) returns setof text
  language plpgsql as $$
  declare
    line text;
    size int := 0;
  begin
    loop
      fetch source into line;
      exit when not found;
      return next line;
      size := size + octet_length(line);
      exit when size >= most;
    end loop;
  end $$`

/** Reads all rows of a table, in a transaction that {@link withSnapshot} began. */
export const readTable = Effect.fnUntraced(function* <E, R>(
  sql: SqlClient,
  { columns, name }: Table,
  take: (lines: ReadonlyArray<string>) => Effect.Effect<void, E, R>
) {
  const list = columns.map((column) => `"${column}"`).join(", ")
  yield* sql.unsafe(
    `declare svc_rows no scroll cursor for select svc_row::text from (select ${list} from "${name}") svc_row`
  )
  for (;;) {
    const rows = yield* sql<{ line: string }>`
      select svc_transfer_rows('svc_rows', ${batchSize}) as line`
    if (rows.length === 0) break
    yield* take(rows.map(({ line }) => line))
  }
  yield* sql.unsafe("close svc_rows")
})

/** Runs an effect in a transaction that sees the current state of the database. It leaves nothing in the database. */
export const withSnapshot = <A, E, R>(sql: SqlClient, use: Effect.Effect<A, E, R>) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql.unsafe("set transaction isolation level repeatable read")
      for (const setting of textSettings) yield* sql.unsafe(setting)
      // Other sessions never see the function, because it is dropped before the transaction ends.
      yield* sql.unsafe(readerFunction)
      const result = yield* use
      yield* sql.unsafe("drop function svc_transfer_rows(refcursor, int)")
      return result
    })
  )

/** The database as a source, in a transaction that {@link withSnapshot} began; null if it has no schema. */
export const sourceOf = Effect.fnUntraced(function* (sql: SqlClient) {
  const schema = yield* Effect.provideService(schemaVersion, SqlClient, sql)
  if (schema === 0) return null
  const tables = yield* listTables(sql)
  const [installation] = yield* sql<{ id: string }>`select sandbox_account_id::text as id from instance`
  const source: Source = {
    id: `installation ${installation?.id ?? "without accounts"}`,
    schema,
    tables,
    sequences: yield* listSequences(sql),
    read: (take) =>
      Effect.forEach(tables, (table) => readTable(sql, table, (lines) => take(table, lines)), {
        discard: true
      })
  }
  return source
})
