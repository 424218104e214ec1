/**
 * Databases on the test run's PostgreSQL server.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schedule } from "effect"
import { inject } from "vitest"
import { migrate } from "../../adapters/postgres/engine/Migrations.ts"
import { sessionSettings } from "../../adapters/postgres/engine/session.ts"

/** Executes statements on the database of `url`, one after another. */
export const execute = (url: string, ...statements: ReadonlyArray<string>): Promise<void> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    for (const statement of statements) yield* sql.unsafe(statement)
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.runPromise)

/** The rows of a statement on the database of `url`. */
export const query = <Row extends object>(url: string, statement: string): Promise<ReadonlyArray<Row>> =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(statement)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })),
    Effect.runPromise
  )

/** Whether a statement on the database of `url` waits for another transaction's lock. */
export const isWaiting = async (url: string): Promise<boolean> => {
  const rows = await query<{ readonly waits: boolean }>(
    url,
    `select exists (
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    ) as waits`
  )
  return rows[0]!.waits
}

/**
 * Ends the leases of all jobs and the claims of all notifications, so that a test need not wait until those of a killed server
 * expire. Only call it while no server processes any: a running server would lose its leases.
 */
export const expireLeases = (url: string): Promise<void> =>
  execute(
    url,
    "update jobs set due_at = now() - interval '1 second' where leased",
    `update notifications set due_at = now() - interval '1 second' where state = 'Pending' and due_at <> run_at`
  )

const urlOf = (name: string): string => {
  const url = new URL(inject("postgresUrl"))
  url.pathname = `/${name}`
  return url.href
}

const made = async (options = ""): Promise<string> => {
  const name = `test_${randomBytes(8).toString("hex")}`
  await execute(inject("postgresUrl"), `create database ${name} ${options}`)
  return urlOf(name)
}

/** The URL of a new, empty database, without a schema. */
export const emptyDatabase = (): Promise<string> => made()

const template = "migrated"

/** Creates the template database once per run. */
const makeTemplate = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  // Other test workers wait until the template is complete.
  yield* sql`select pg_advisory_lock(1)`
  const [found] = yield* sql<{ readonly isMade: boolean }>`
    select exists (select from pg_database where datname = ${template}) as "isMade"`
  if (found!.isMade) return
  const part = `${template}_part`
  yield* sql.unsafe(`drop database if exists ${part}`)
  yield* sql.unsafe(`create database ${part}`)
  yield* Effect.provide(
    migrate("AtOnce"),
    PgClient.layer({ url: Redacted.make(urlOf(part)), maxConnections: 2, startupParameters: sessionSettings })
  )
  // The server notices with a small delay that the migration's sessions have ended.
  yield* sql
    .unsafe(`alter database ${part} rename to ${template}`)
    .pipe(Effect.retry({ times: 100, schedule: Schedule.spaced("20 millis") }))
})

let isReady: Promise<void> | null = null

/**
 * The URL of a new empty database with the current schema. It is copied from the template, which is much faster than running the
 * migrations.
 */
export const freshDatabase = async (): Promise<string> => {
  const client = PgClient.layer({ url: Redacted.make(inject("postgresUrl")), maxConnections: 1 })
  isReady ??= Effect.runPromise(Effect.provide(makeTemplate, client))
  await isReady
  return made(`template ${template}`)
}
