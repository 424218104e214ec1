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
import { atOnce, buildOnline, isOnline } from "../sql/OnlineIndexes.ts"
import { Progress, withIndexProgress } from "./Progress.ts"

/** The database has the schema of a newer version of the service, which this version cannot use. */
export class DatabaseTooNew extends Data.TaggedError("DatabaseTooNew")<{
  readonly found: number
  readonly known: number
}> {
  override get message(): string {
    return `The database has schema ${this.found}, which is newer than ${this.known}, the schema of this version. Start the newer version of the service again`
  }
}

/** Ensures that only one node migrates at a time. The number is arbitrary but fixed. */
const advisoryLock = 7_361_001

/**
 * Segments compare strings with the collation `pg_c_utf8`, which PostgreSQL has since version 17. On an older server, a
 * collation of that name is created with ICU's lower case.
 */
const collation = `do $$ begin
  if to_regcollation('pg_c_utf8') is null then
    create collation pg_c_utf8 (provider = icu, locale = 'und');
  end if;
end $$`

/**
 * Locks every table before the first change. Nodes of the previous version, which may still be running, wait from the start.
 * If tables were locked one by one, a call could hold a table that a long migration needs at its end, while the call waits
 * for a table that the migration holds.
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
 * Gathers the planner's statistics of every table. New indexes have none, and a server gathers them only after a table has
 * changed.
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

/** Makes the server release the locks of a killed client within a second, and not when its statement ends. PGlite cannot. */
const endWithClient = `do $$ begin
  set local client_connection_check_interval = '1s';
exception when others then null;
end $$`

/** How often a migration is restarted after deadlocks with nodes of the previous version while it locks the tables. */
const maxDeadlocks = 20

const isDeadlock = (error: object): boolean =>
  "reason" in error && (error as SqlError).reason._tag === "DeadlockError"

/** The schema version that this version of the service needs. */
export const currentSchema = migrations.length

/** The schema version of a database; 0 without a schema. */
export const schemaVersion: Effect.Effect<number, SqlError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [table] = yield* sql<{ found: boolean }>`select to_regclass('svc_migrations') is not null as found`
  if (table?.found !== true) return 0
  const [row] = yield* sql<{ version: number }>`
    select coalesce(max(version), 0)::int as version from svc_migrations`
  return row?.version ?? 0
})

/** Fails if the engine is too old. */
export const requireEngine: Effect.Effect<void, DatabaseUnusable | SqlError, SqlClient> = Effect.flatMap(
  engineVersion,
  ({ major, version }) => versionFault(version, major) ?? Effect.void
)

/** The database contains only a part of a copy, so no service may use it. */
export class DatabaseIncomplete extends Data.TaggedError("DatabaseIncomplete")<{}> {
  override get message(): string {
    return (
      "The database holds an unfinished restore or migration from another store: run the same svc restore or " +
      "svc migrate-store again, or empty the database"
    )
  }
}

type Migrations = ReadonlyArray<ReadonlyArray<string>>

interface Step {
  readonly version: number
  readonly statements: ReadonlyArray<string>
}

const stepsAfter = (version: number, of: Migrations): ReadonlyArray<Step> =>
  of.slice(version).map((statements, index) => ({ version: version + index + 1, statements }))

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
      yield* sql.unsafe(atOnce(statement))
    }
    yield* record(version)
  }
  report("Migrating", total, total)
})

/** Creates the schema of a version in an empty database, in the current transaction. The version is not recorded. */
export const migrateTo = (version: number) =>
  apply(stepsAfter(0, migrations).slice(0, version), () => Effect.void)

/**
 * How the indexes of online migrations are built. `Online` allows other nodes to work, and takes longer. `AtOnce` builds them
 * in the transaction of the other migrations, and is used if nothing else uses the database. In an empty database they are
 * always built at once.
 */
type IndexBuilds = "AtOnce" | "Online"

/**
 * Applies the missing migrations in one transaction. Migrations that build indexes online run outside transactions, and a new
 * transaction begins after them. Nodes that start together migrate one after the other. If the database is current, this
 * takes four queries. Fails with `DatabaseUnusable` if the engine is too old, or if the user of the connection lacks a
 * right that the migrations or the service need.
 *
 * @param all the migrations of this version of the service
 */
export const migrate = (
  builds: IndexBuilds,
  all: Migrations = migrations
): Effect.Effect<void, DatabaseTooNew | DatabaseIncomplete | DatabaseUnusable | SqlError, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const report = yield* Progress

    const missing = Effect.gen(function* () {
      const found = yield* schemaVersion
      if (found > all.length) return yield* new DatabaseTooNew({ found, known: all.length })
      if (found > 0) return stepsAfter(found, all)
      const [state] = yield* sql<{ unfinished: boolean }>`
        select to_regclass('svc_transfer') is not null as unfinished`
      return state?.unfinished === true ? yield* new DatabaseIncomplete() : stepsAfter(0, all)
    })
    const record = (version: number) => sql`insert into svc_migrations (version) values (${version})`
    const isNow = ({ statements }: Step) => builds === "Online" && isOnline(statements)
    /** The steps of one transaction: all of them in an empty database, otherwise those before the next online build. */
    const untilOnline = (steps: ReadonlyArray<Step>) => {
      const next = steps[0]?.version === 1 ? -1 : steps.findIndex(isNow)
      return next < 0 ? steps : steps.slice(0, next)
    }

    yield* requireEngine
    const before = yield* missing
    const { toMigrate, toRun } = yield* rightFaults
    const fault = toRun ?? (before.length === 0 ? null : toMigrate)
    if (fault !== null) return yield* fault
    if (before.length === 0) return
    const started = yield* Clock.currentTimeMillis
    const inTransaction = Effect.gen(function* () {
      // Without a time limit, because it may wait for another node's migration, and migrating much data takes long.
      yield* sql`set local statement_timeout = 0`
      yield* sql.unsafe(endWithClient)
      yield* sql`select pg_advisory_xact_lock(${advisoryLock})`
      yield* sql.unsafe(`create table if not exists svc_migrations (version int primary key)`)
      const steps = untilOnline(yield* missing)
      if (steps.length === 0) return
      yield* sql.unsafe(lockTables)
      yield* apply(steps, record)
      if (before[0]!.version > 1) yield* sql.unsafe(analyzeTables)
    }).pipe(sql.withTransaction, Effect.retry({ times: maxDeadlocks, while: isDeadlock }))
    const applyNext = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
      const { statements, version } = steps[0]!
      if (untilOnline(steps).length > 0) return yield* inTransaction
      yield* buildOnline(
        statements,
        advisoryLock,
        Effect.map(missing, ([next]) => next?.version === version),
        record(version),
        (built) => report("Building indexes", built, statements.length)
      )
    })
    let left = before
    while (left.length > 0) {
      yield* withIndexProgress(sql)(applyNext(left))
      left = yield* missing
    }
    yield* Effect.annotateLogs(Effect.logInfo("schema migrated"), {
      from: before[0]!.version - 1,
      to: all.length,
      millis: (yield* Clock.currentTimeMillis) - started
    })
  })
