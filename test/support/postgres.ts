/**
 * Databases on the test run's PostgreSQL server.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"

/** Runs statements on the database of `url`, one after the other. */
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

/** Whether a statement on the database of `url` waits for a lock of another transaction. */
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
 * Ends the leases of all jobs and the claims of all notifications, so that a test need not wait until those of a killed
 * server expire. Call it while no server works on them: one that does would lose them.
 */
export const expireLeases = (url: string): Promise<void> =>
  execute(
    url,
    "update jobs set due_at = now() - interval '1 second' where leased",
    `update notifications set due_at = now() - interval '1 second' where state = 'Pending' and due_at <> run_at`
  )

/** The URL of a new, empty database. */
export const freshDatabase = async (): Promise<string> => {
  const name = `test_${randomBytes(8).toString("hex")}`
  const server = inject("postgresUrl")
  await execute(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
