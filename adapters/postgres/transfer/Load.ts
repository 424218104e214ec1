/**
 * Loads a copy of all rows into an empty database. If it is interrupted, it continues where it stopped: its progress is recorded
 * in the database, and no service starts on that database until it is complete.
 *
 * @module
 */
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { rightFaults } from "../engine/DatabaseUnusable.ts"
import { currentSchema, migrate, migrateTo } from "../engine/Migrations.ts"
import { Progress, withIndexProgress } from "../engine/Progress.ts"
import { Digests } from "./Digest.ts"
import { TransferFailed } from "./Place.ts"
import { listTables, readTable, type Source, type Table, withSnapshot } from "./Snapshot.ts"

/** The advisory lock of the session that loads. The number is arbitrary but fixed. */
const loadLock = 7_361_002

const stateTables = [
  "create table svc_transfer (source text not null, schema int not null)",
  "create table svc_transfer_tables (name text primary key, rows bigint not null)",
  "create table svc_transfer_indexes (name text primary key, definition text not null)"
]

/**
 * Indexes that are faster to build over all rows than row by row. Indexes of constraints are kept, as are those of partitioned
 * tables, whose partitions have them under other names.
 */
const indexes = `
  select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i join pg_class t on t.oid = i.indrelid
  where t.relnamespace = current_schema()::regnamespace and t.relkind = 'r' and not t.relispartition
    and t.relname !~ '^svc_transfer' and not exists (select from pg_constraint where conindid = i.indexrelid)`

const triggers = (tables: ReadonlyArray<Table>, change: "enable" | "disable") =>
  tables.map(({ name }) => `alter table "${name}" ${change} trigger user`)

const hasColumnsOf = (one: Table, other: Table): boolean =>
  one.name === other.name && one.columns.join() === other.columns.join()

/** Creates the tables in an empty database, without indexes and triggers. */
const begin = Effect.fnUntraced(function* (sql: SqlClient, { id, schema }: Source) {
  const [{ relations } = { relations: 0 }] = yield* sql<{ relations: number }>`
    select count(*)::int as relations from pg_class where relnamespace = current_schema()::regnamespace`
  if (relations > 0) {
    return yield* TransferFailed.of(
      "The target database is not empty: nothing was changed. Give an empty one, such as one that CREATE DATABASE just made"
    )
  }
  const { toMigrate } = yield* rightFaults
  if (toMigrate !== null) return yield* toMigrate
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* migrateTo(schema)
      for (const statement of stateTables) yield* sql.unsafe(statement)
      yield* sql`insert into svc_transfer values (${id}, ${schema})`
      yield* sql.unsafe(`insert into svc_transfer_indexes ${indexes}`)
      const built = yield* sql<{ name: string }>`select name from svc_transfer_indexes`
      for (const { name } of built) yield* sql.unsafe(`drop index ${name}`)
      for (const change of triggers(yield* listTables(sql), "disable")) yield* sql.unsafe(change)
    })
  )
  return undefined
})

/** The rows that earlier runs have loaded, by table. */
const resume = Effect.fnUntraced(function* (sql: SqlClient, { id, schema }: Source) {
  const [state] = yield* sql<{ source: string; schema: number }>`select source, schema from svc_transfer`
  if (state?.source !== id || state.schema !== schema) {
    return yield* TransferFailed.of(
      "The target database holds an unfinished copy of something else: nothing was changed. Give an empty database"
    )
  }
  const done = yield* sql<{ name: string; rows: number }>`
    select name, rows::float8 as rows from svc_transfer_tables`
  return new Map(done.map(({ name, rows }) => [name, rows]))
})

const insert = (sql: SqlClient, { columns, name, written }: Table, lines: ReadonlyArray<string>) => {
  const list = written.map((column) => `"${column}"`).join(", ")
  const names = columns.map((column) => `"${column}"`).join(", ")
  return sql.unsafe(
    `insert into "${name}" (${list}) select ${list} from unnest($1::text[]::"${name}"[]) as loaded (${names})`,
    [lines]
  )
}

const buildIndexes = Effect.fnUntraced(function* (sql: SqlClient, watcher: SqlClient | null) {
  const watched = withIndexProgress(watcher)
  const report = yield* Progress
  const left = yield* sql<{ name: string; definition: string }>`
    select name, definition from svc_transfer_indexes order by name`
  for (const [index, { definition, name }] of left.entries()) {
    report("Building indexes", index, left.length)
    yield* sql
      .withTransaction(
        Effect.andThen(
          sql.unsafe(definition),
          Effect.asVoid(sql`delete from svc_transfer_indexes where name = ${name}`)
        )
      )
      .pipe(watched)
  }
  report("Building indexes", left.length, left.length)
})

/** Reads all rows back and compares them with those of the source. */
const verify = Effect.fnUntraced(function* (sql: SqlClient, tables: ReadonlyArray<Table>, expected: Digests) {
  const report = yield* Progress
  const found = new Digests()
  let rows = 0
  yield* withSnapshot(
    sql,
    Effect.forEach(
      tables,
      (table) =>
        readTable(sql, table, (lines) =>
          Effect.sync(() => {
            found.of(table.name).add(lines)
            rows += lines.length
            report("Verifying", rows, expected.rows)
          })
        ),
      { discard: true }
    )
  )
  const [difference] = expected.differences(
    found,
    tables.map(({ name }) => name)
  )
  return difference === undefined
    ? undefined
    : yield* TransferFailed.of(
        `The copy is not what it was made of: ${difference}. Empty the target database and run the command again`
      )
})

/** Waits briefly for the session of a command that was killed, which the server ends when it notices. */
const takeLock = (sql: SqlClient) =>
  Effect.flatMap(
    sql<{ taken: boolean }>`select pg_try_advisory_lock(${loadLock}) as taken`,
    ([lock]): Effect.Effect<void, TransferFailed> =>
      lock!.taken ? Effect.void : TransferFailed.of("Another command is loading the target database now")
  ).pipe(
    Effect.retry({
      schedule: Schedule.spaced("500 millis"),
      times: 30,
      while: (error) => error._tag === "TransferFailed"
    })
  )

/** The result of a load. */
export interface Loaded {
  readonly tables: number
  readonly rows: number
  /** Whether an earlier, unfinished run was continued. */
  readonly resumed: boolean
}

/**
 * Loads a source into an empty database, or continues an unfinished load of the same source. It then verifies the number and
 * the hash of the rows of each table. Finally the database has the current schema.
 *
 * @param watcher another session of the server, which is asked for the progress of an index; null if there can be none
 */
export const load = Effect.fnUntraced(function* (sql: SqlClient, source: Source, watcher: SqlClient | null) {
  yield* takeLock(sql)
  if (source.schema > currentSchema) {
    return yield* TransferFailed.of(
      `The source has schema ${source.schema}, which is newer than ${currentSchema}, the schema of this version. Use the newer version of the service`
    )
  }
  const [state] = yield* sql<{ resumed: boolean }>`select to_regclass('svc_transfer') is not null as resumed`
  const resumed = state!.resumed
  if (!resumed) yield* Effect.provideService(begin(sql, source), SqlClient, sql)
  const done = yield* resume(sql, source)
  const tables = yield* listTables(sql)
  const odd =
    source.tables.find(
      (table, index) => tables[index] === undefined || !hasColumnsOf(table, tables[index])
    ) ?? tables[source.tables.length]
  if (odd !== undefined)
    return yield* TransferFailed.of(`Table ${odd.name} of the source is not one of this version`)

  const digests = new Digests()
  yield* source.read((table, lines) => {
    const digest = digests.of(table.name)
    const loaded = done.get(table.name) ?? 0
    const rest = lines.slice(Math.max(0, loaded - digest.rows))
    digest.add(lines)
    if (rest.length === 0) return Effect.void
    return sql.withTransaction(
      Effect.andThen(
        insert(sql, table, rest),
        Effect.asVoid(sql`insert into svc_transfer_tables values (${table.name}, ${digest.rows})
          on conflict (name) do update set rows = excluded.rows`)
      )
    )
  })
  yield* buildIndexes(sql, watcher)
  yield* verify(sql, tables, digests)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      for (const { called, name, value } of source.sequences) {
        yield* sql`select setval(${name}::regclass, ${value}::bigint, ${called})`
      }
      for (const change of triggers(tables, "enable")) yield* sql.unsafe(change)
      yield* sql.unsafe("create table svc_migrations (version int primary key)")
      yield* sql`insert into svc_migrations select generate_series(1, ${source.schema}::int)`
      yield* sql.unsafe("drop table svc_transfer, svc_transfer_tables, svc_transfer_indexes")
    })
  )
  yield* Effect.provideService(migrate("AtOnce"), SqlClient, sql)
  yield* sql.unsafe("analyze")
  return { tables: tables.length, rows: digests.rows, resumed } satisfies Loaded
})
