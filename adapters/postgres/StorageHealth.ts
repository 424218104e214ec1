/**
 * Checks that the database responds, and measures its size and load.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import {
  type PartitionSize,
  type SlowStatement,
  StorageHealth,
  type StorageReport,
  type TableSize
} from "../../core/ports/StorageHealth.ts"
import { currentSchema, schemaVersion } from "./engine/Migrations.ts"
import { orUnavailable } from "./sql/errors.ts"
import { execute } from "./sql/results.ts"

/** The maximum number of statements reported, and of characters of each. */
const maxStatements = 20
const maxStatement = 1_000

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  StorageHealth,
  Effect.map(SqlClient, (sql) => {
    const tables = orUnavailable(sql<TableSize>`
      select c.relname as name, sum(nullif(m.reltuples, -1))::float8 as rows,
        sum(pg_total_relation_size(m.oid))::float8 as bytes
      from pg_class c cross join lateral (
        select p.relid from pg_partition_tree(c.oid) p where p.isleaf and c.relkind = 'p'
        union all select c.oid where c.relkind = 'r'
      ) part(relid) join pg_class m on m.oid = part.relid
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      group by c.relname order by bytes desc, name limit 200`)
    const partitions = orUnavailable(sql<PartitionSize>`
      select t.relname as table, c.relname as name, nullif(c.reltuples, -1)::float8 as rows,
        pg_total_relation_size(c.oid)::float8 as bytes
      from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class t on t.oid = i.inhparent
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
      order by t.relname, c.relname limit 1000`)
    /** Only kinds of statements without secrets in their text. The extension may be missing or not readable. */
    const slowStatements = orUnavailable(sql<SlowStatement>`
      select left(query, ${maxStatement}::int) as statement, calls::float8 as calls,
        total_exec_time as "totalMs", mean_exec_time as "meanMs"
      from pg_stat_statements
      where dbid = (select oid from pg_database where datname = current_database())
        and query ~* '^\\s*(select|insert|update|delete|with)\\M'
      order by total_exec_time desc limit ${maxStatements}`)
    const engine = orUnavailable(sql<{
      readonly version: string
      readonly slow: boolean
      readonly full: string
    }>`
      select current_setting('server_version') as version, version() as full,
        to_regclass('pg_stat_statements') is not null as slow`)
    return StorageHealth.of({
      ping: execute(sql`select 1`),
      size: Effect.map(
        orUnavailable(sql<{ readonly size: number }>`
          select pg_database_size(current_database())::float8 as size`),
        ([row]) => row!.size
      ),
      report: Effect.gen(function* () {
        const [found] = yield* engine
        const { full, slow, version } = found!
        return {
          // PGlite is compiled by Emscripten.
          engine: /emscripten|wasm/i.test(full) ? "PGlite" : "PostgreSQL",
          version,
          tables: yield* tables,
          partitions: yield* partitions,
          slowStatements: slow ? yield* Effect.catchCause(slowStatements, () => Effect.succeed(null)) : null,
          migrations: {
            applied: yield* orUnavailable(Effect.provideService(schemaVersion, SqlClient, sql)),
            known: currentSchema
          }
        } satisfies StorageReport
      })
    })
  })
)
