/**
 * Fills large tables quickly: without triggers, and with the indexes created afterwards.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/**
 * The settings of a loading connection: triggers do not fire, tables are scanned sequentially, and statements have no time limit.
 */
export const loading = {
  enable_seqscan: "on",
  maintenance_work_mem: "1GB",
  max_parallel_maintenance_workers: "0",
  session_replication_role: "replica",
  statement_timeout: "0"
}

/** The data to load. */
export interface Load {
  /** The tables, including the partitioned parents of partitions. */
  readonly tables: ReadonlyArray<string>
  readonly partitioned?: ReadonlyArray<string>
  /** The statements, in groups that are independent of each other. */
  readonly groups: ReadonlyArray<ReadonlyArray<string>>
  /** How many statements run at the same time. */
  readonly connections: number
  /** Whether the writes are recorded in the WAL. */
  readonly isLogged: boolean
  readonly say?: (what: string) => void
}

/** Fills tables through a client whose connections have the settings of `loading`. */
export const load = Effect.fnUntraced(function* ({
  connections,
  groups,
  isLogged,
  partitioned = [],
  say = () => {},
  tables
}: Load): Effect.fn.Return<void, SqlError, SqlClient> {
  const sql = yield* SqlClient
  const run = (statement: string) => sql.unsafe(statement).unprepared
  const concurrently = { concurrency: connections, discard: true }
  const indexes = yield* sql<{ readonly name: string; readonly definition: string }>`
    select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where not indisprimary and not c.relispartition and indrelid = any(${[...tables, ...partitioned]}::regclass[])
      and not exists (select from pg_constraint where conindid = indexrelid)`
  yield* Effect.forEach(indexes, ({ name }) => run(`drop index ${name}`), { discard: true })
  if (!isLogged) {
    yield* Effect.forEach(tables, (table) => run(`alter table ${table} set unlogged`), { discard: true })
  }
  yield* Effect.forEach(
    groups,
    (group) =>
      Effect.gen(function* () {
        for (const statement of group) yield* run(statement)
        say(/into (\w+)/.exec(group[0]!)![1]!)
      }),
    concurrently
  )
  yield* Effect.forEach(indexes, ({ definition }) => run(definition), concurrently)
  say(`${indexes.length} indexes`)
  yield* Effect.forEach(tables, (table) => run(`vacuum (analyze) ${table}`), concurrently)
  say("ready")
})
