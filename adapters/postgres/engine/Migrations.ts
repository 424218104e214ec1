/**
 * Migrates a database to the schema that this version needs.
 *
 * @module
 */
import { Clock, Data, Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { migrations } from "../migrations/index.ts"

/** The schema of the database is of a newer version of the service, which this one cannot use. */
export class DatabaseTooNew extends Data.TaggedError("DatabaseTooNew")<{
  readonly found: number
  readonly known: number
}> {
  override get message(): string {
    return `The database is at schema ${this.found}, newer than the ${this.known} this version knows`
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

/**
 * Applies the missing migrations in one transaction. Nodes that start together run it one after the other; on a
 * current database it is two queries.
 */
export const migrate: Effect.Effect<void, DatabaseTooNew | SqlError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient

  const missing = Effect.fnUntraced(function* () {
    const found = yield* schemaVersion
    if (found > currentSchema) return yield* new DatabaseTooNew({ found, known: currentSchema })
    return migrations.slice(found).map((statements, index) => ({ version: found + index + 1, statements }))
  })

  const before = yield* missing()
  if (before.length === 0) return
  const started = yield* Clock.currentTimeMillis
  yield* sql.withTransaction(
    Effect.gen(function* () {
      // Waits for another node's migration, and a migration of much data takes long.
      yield* sql`set local statement_timeout = 0`
      yield* sql`select pg_advisory_xact_lock(${advisoryLock})`
      yield* sql.unsafe(`create table if not exists svc_migrations (version int primary key)`)
      yield* sql.unsafe(collation)
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
