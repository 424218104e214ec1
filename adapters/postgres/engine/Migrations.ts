/**
 * Migrates a database to the schema that this version needs.
 *
 * @module
 */
import { Clock, Data, Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { migrations } from "../migrations/index.ts"
import { type DatabaseUnusable, engineVersion, rightFaults, versionFault } from "./DatabaseUnusable.ts"
import { Progress, withIndexProgress } from "./Progress.ts"

/** The schema of the database is of a newer version of the service, which this one cannot use. */
export class DatabaseTooNew extends Data.TaggedError("DatabaseTooNew")<{
  readonly found: number
  readonly known: number
}> {
  override get message(): string {
    return `The database is at schema ${this.found}, newer than the ${this.known} this version knows. Start the newer version again`
  }
}

/** Only one node migrates at a time; the number is arbitrary but fixed. */
const advisoryLock = 7_361_001

/**
 * Segments compare strings by the collation `pg_c_utf8`, which PostgreSQL has since 17. An older server gets one of that
 * name with the lower case of ICU.
 */
const collation = `do $$ begin
  if to_regcollation('pg_c_utf8') is null then
    create collation pg_c_utf8 (provider = icu, locale = 'und');
  end if;
end $$`

/**
 * Locks every table before the first change: nodes of the version before, which may still run, wait from the beginning. If
 * locks were taken one after the other, a call could hold a table that a long migration needs at its end, while it waits
 * for one that the migration has.
 */
const lockTables = `do $$
  declare names text := (
    select string_agg(format('%I', relname), ', ' order by relname) from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and pg_has_role(relowner, 'USAGE')
  );
  begin
    execute 'lock table ' || names || ' in access exclusive mode';
  end
$$`

/**
 * Gathers the planner's statistics of every table: those of the indexes that a migration made do not exist, and a server gathers
 * them only once a table has changed.
 */
const analyzeTables = `do $$
  declare name regclass;
  begin
    for name in select oid from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and pg_has_role(relowner, 'USAGE') loop
      execute format('analyze %s', name);
    end loop;
  end
$$`

/** The locks of a process that was killed are released within a second, and not when its statement ends. PGlite cannot. */
const endWithClient = `do $$ begin
  set local client_connection_check_interval = '1s';
exception when others then null;
end $$`

/** How often a migration starts again that deadlocked with nodes of the version before while it locked the tables. */
const maxDeadlocks = 20

const isDeadlock = (error: object): boolean =>
  "reason" in error && (error as SqlError).reason._tag === "DeadlockError"

/** The schema version that this version of the service needs. */
export const currentSchema = migrations.length

/** The schema version of a database; 0 without any. */
export const schemaVersion: Effect.Effect<number, SqlError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [table] = yield* sql<{ found: boolean }>`select to_regclass('svc_migrations') is not null as found`
  if (table?.found !== true) return 0
  const [row] = yield* sql<{ version: number }>`
    select coalesce(max(version), 0)::int as version from svc_migrations`
  return row?.version ?? 0
})

/** Fails where the engine is too old. */
export const requireEngine: Effect.Effect<void, DatabaseUnusable | SqlError, SqlClient> = Effect.flatMap(
  engineVersion,
  ({ major, version }) => versionFault(version, major) ?? Effect.void
)

/** The database holds a part of a copy alone, and no service may use it. */
export class DatabaseIncomplete extends Data.TaggedError("DatabaseIncomplete")<{}> {
  override get message(): string {
    return (
      "The database holds an unfinished restore or migration from another store: run the same svc restore or " +
      "svc migrate-store again, or empty the database"
    )
  }
}

interface Step {
  readonly version: number
  readonly statements: ReadonlyArray<string>
}

const stepsAfter = (version: number): ReadonlyArray<Step> =>
  migrations.slice(version).map((statements, index) => ({ version: version + index + 1, statements }))

/** Runs the statements of steps in the current transaction; `record` runs after each. */
const apply = Effect.fnUntraced(function* (
  steps: ReadonlyArray<Step>,
  record: (version: number) => Effect.Effect<unknown, SqlError>
) {
  const sql = yield* SqlClient
  const report = yield* Progress
  const total = steps.reduce((sum, { statements }) => sum + statements.length, 0)
  let done = 0
  yield* sql.unsafe(collation)
  for (const { statements, version } of steps) {
    for (const statement of statements) {
      report("Migrating", done++, total)
      yield* sql.unsafe(statement)
    }
    yield* record(version)
  }
  report("Migrating", total, total)
})

/** Makes the schema of a version in an empty database, in the current transaction. The version is not recorded. */
export const migrateTo = (version: number) => apply(stepsAfter(0).slice(0, version), () => Effect.void)

/**
 * Applies the missing migrations in one transaction. Nodes that start together run it one after the other; on a
 * current database it is four queries. Fails with `DatabaseUnusable` where the engine is too old, or the user of the
 * connection lacks a right that migrations or the service need.
 */
export const migrate: Effect.Effect<
  void,
  DatabaseTooNew | DatabaseIncomplete | DatabaseUnusable | SqlError,
  SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient

  const missing = Effect.fnUntraced(function* () {
    const found = yield* schemaVersion
    if (found > currentSchema) return yield* new DatabaseTooNew({ found, known: currentSchema })
    if (found > 0) return stepsAfter(found)
    const [state] = yield* sql<{ unfinished: boolean }>`
        select to_regclass('svc_transfer') is not null as unfinished`
    return state?.unfinished === true ? yield* new DatabaseIncomplete() : stepsAfter(0)
  })

  yield* requireEngine
  const before = yield* missing()
  const { toMigrate, toRun } = yield* rightFaults
  const fault = toRun ?? (before.length === 0 ? null : toMigrate)
  if (fault !== null) return yield* fault
  if (before.length === 0) return
  const started = yield* Clock.currentTimeMillis
  yield* sql
    .withTransaction(
      Effect.gen(function* () {
        // Waits for another node's migration, and a migration of much data takes long.
        yield* sql`set local statement_timeout = 0`
        yield* sql.unsafe(endWithClient)
        yield* sql`select pg_advisory_xact_lock(${advisoryLock})`
        yield* sql.unsafe(`create table if not exists svc_migrations (version int primary key)`)
        yield* sql.unsafe(lockTables)
        yield* apply(
          yield* missing(),
          (version) => sql`insert into svc_migrations (version) values (${version})`
        )
        if (before[0]!.version > 1) yield* sql.unsafe(analyzeTables)
      })
    )
    .pipe(Effect.retry({ times: maxDeadlocks, while: isDeadlock }), withIndexProgress(sql))
  yield* Effect.annotateLogs(Effect.logInfo("schema migrated"), {
    from: before[0]!.version - 1,
    to: currentSchema,
    millis: (yield* Clock.currentTimeMillis) - started
  })
})
