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

/**
 * Applies the missing migrations in one transaction. Nodes that start together run it one after the other; on a
 * current database it is four queries. Fails with `DatabaseUnusable` where the engine is too old, or the user of the
 * connection lacks a right that migrations or the service need.
 */
export const migrate: Effect.Effect<void, DatabaseTooNew | DatabaseUnusable | SqlError, SqlClient> =
  Effect.gen(function* () {
    const sql = yield* SqlClient

    const missing = Effect.fnUntraced(function* () {
      const found = yield* schemaVersion
      if (found > currentSchema) return yield* new DatabaseTooNew({ found, known: currentSchema })
      return migrations.slice(found).map((statements, index) => ({ version: found + index + 1, statements }))
    })

    yield* requireEngine
    const before = yield* missing()
    const { toMigrate, toRun } = yield* rightFaults
    const fault = toRun ?? (before.length === 0 ? null : toMigrate)
    if (fault !== null) return yield* fault
    if (before.length === 0) return
    const started = yield* Clock.currentTimeMillis
    yield* sql.withTransaction(
      Effect.gen(function* () {
        // Waits for another node's migration, and a migration of much data takes long.
        yield* sql`set local statement_timeout = 0`
        yield* sql`select pg_advisory_xact_lock(${advisoryLock})`
        yield* sql.unsafe(`create table if not exists svc_migrations (version int primary key)`)
        for (const step of yield* missing()) {
          for (const statement of step.statements) yield* sql.unsafe(statement)
          yield* sql`insert into svc_migrations (version) values (${step.version})`
        }
      })
    )
    yield* Effect.annotateLogs(Effect.logInfo("schema migrated"), {
      from: before[0]!.version - 1,
      to: currentSchema,
      millis: (yield* Clock.currentTimeMillis) - started
    })
  })
