/**
 * An installation of the version before tables were partitioned, with running nodes, which is migrated to the current schema.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { migrateTo } from "../../adapters/postgres/engine/Migrations.ts"
import { statements as partitions } from "../../adapters/postgres/migrations/0036_partitions.ts"
import { migrations } from "../../adapters/postgres/migrations/index.ts"
import { cliOf } from "./cli.ts"
import { load, loading } from "./loading.ts"
import { sharedCode } from "./prepared.ts"

const accountId = "0190a5d0-0000-7000-8000-000000000001"

/** The schema version before partitioning. */
export const versionBefore = migrations.indexOf(partitions)

/** The tables that are filled, each with the same number of rows. */
export const filledTables = ["events", "attempts", "submissions", "deliveries", "timeline", "notifications"]

/** SQL for the id of row `n`. The rows are a few seconds old, the last one is of the current time. */
const idOf = (rows: number, n: string): string =>
  `(lpad(to_hex(${Date.now()}::bigint - (${rows} - ${n}) * 100::bigint), 12, '0') || '70008000' || lpad(to_hex(${n}), 12, '0'))::uuid`

const valuesOf: Readonly<Record<string, string>> = {
  events: "id, 'event-' || n, 'name-' || n % 20, now()",
  attempts: `id, 1, now(), now(), 'Sent', 'mx.example', null, '["250 accepted"]', null`,
  submissions: `id, null, null, 'Receipt ' || n, null, null, '{}', '{}', null, null, 'Queued', null, now(), '', null, '[]'`,
  deliveries: `id, id, 0, 'person' || n || '@mail.example', null, 'To', 'Delivered', null, 1, now(), now(), 1`,
  timeline: `id, id, 'name-' || n % 20, now(), '{}', 'Api'`,
  notifications: `id, id, 'email.sent', id, '{}', 'Succeeded', 1, 1, now(), now(), now()`
}

const connections = 2

/** Creates the old schema in an empty database, and fills each of the tables with `rows` rows. */
export const installBefore = async (url: string, rows: number): Promise<void> => {
  await Effect.runPromise(
    Effect.provide(
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* migrateTo(versionBefore)
        yield* sql.unsafe("create table svc_migrations (version int primary key)")
        yield* sql.unsafe(`insert into svc_migrations select generate_series(1, ${versionBefore})`)
        yield* load({
          tables: filledTables,
          groups: filledTables.map((table) => [
            `insert into ${table} select '${accountId}', ${valuesOf[table]}
              from (select n, ${idOf(rows, "n")} as id from generate_series(1, ${rows}) n) r`
          ]),
          connections,
          isLogged: true
        })
      }),
      PgClient.layer({
        url: Redacted.make(url),
        maxConnections: connections,
        startupParameters: loading
      })
    )
  )
}

/** The calls that nodes of the old version make. They use the old columns of the tables. */
export interface Calls {
  /** The duration of each call so far and when it ended, in milliseconds. */
  readonly taken: ReadonlyArray<{ readonly at: number; readonly millis: number }>
  /** Waits for the calls in progress. Returns how many calls failed. */
  readonly stop: () => Promise<number>
}

/**
 * Makes calls, `concurrency` at a time, until stopped. Each call inserts an email with its delivery and an event, and reads the
 * delivery with its attempts.
 */
export const makeCalls = (url: string, concurrency: number): Calls => {
  const taken: Array<{ at: number; millis: number }> = []
  const stopping = new AbortController()
  let failed = 0
  const call = (sql: PgClient.PgClient) => {
    const id = `(lpad(to_hex(${Date.now()}), 12, '0') || '70009000' || substr(md5(random()::text), 1, 12))::uuid`
    return sql.unsafe(`
      with r as materialized (select ${id} as id, 0 as n),
        s as (insert into submissions select '${accountId}', ${valuesOf["submissions"]} from r),
        d as (insert into deliveries select '${accountId}', ${valuesOf["deliveries"]} from r returning id),
        e as (insert into events (account_id, id, event_id, name, occurred_at)
          select '${accountId}', id, id::text, 'name-1', now() from r)
      select d.id, (select count(*) from attempts a where a.account_id = '${accountId}' and a.delivery_id = d.id) from d`)
  }
  const worker = Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    while (!stopping.signal.aborted) {
      const began = performance.now()
      // Repeated after a deadlock, as nodes do.
      const { _tag } = yield* Effect.exit(
        Effect.retry(call(sql), { times: 5, while: ({ reason }) => reason._tag === "DeadlockError" })
      )
      if (_tag === "Failure") failed++
      else taken.push({ at: performance.now(), millis: performance.now() - began })
      yield* Effect.sleep("5 millis")
    }
  })
  const done = Effect.runPromise(
    Effect.provide(
      Effect.all(
        Array.from({ length: concurrency }, () => worker),
        { concurrency }
      ),
      PgClient.layer({ url: Redacted.make(url), maxConnections: concurrency })
    )
  )
  return {
    taken,
    stop: async () => {
      stopping.abort()
      await done
      return failed
    }
  }
}

const startProcess = (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
) => {
  const child = spawn(command, args, {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env, ...sharedCode() },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, output }))
  return { ended, kill: () => child.kill("SIGKILL") }
}

/** Runs `svc migrate` as a separate process. */
export const startMigration = (url: string) =>
  startProcess(cliOf("node")[0], [cliOf("node")[1], "migrate"], { SVC_STORE: url })

/** Runs a node with other migrations as a separate process. */
export const startMigrationBy = (url: string, given: ReadonlyArray<ReadonlyArray<string>>) =>
  startProcess(
    process.execPath,
    [join(import.meta.dirname, "migrationProcess.ts"), url, JSON.stringify(given)],
    {}
  )

/** Locks a table, by default with a read's lock, so that a migration of the table waits. `release` ends the lock. */
export const holdTable = async (url: string, table: string, mode = "access share") => {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  const locked = Promise.withResolvers<void>()
  const done = Effect.runPromise(
    Effect.provide(
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* Effect.andThen(
          sql.unsafe(`lock table ${table} in ${mode} mode`),
          Effect.promise(() => {
            locked.resolve()
            return released
          })
        ).pipe(sql.withTransaction)
      }),
      PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })
    )
  )
  await locked.promise
  return async () => {
    release()
    await done
  }
}

/** Counts the rows of each table, in one row. */
export const countText = `select ${filledTables.map((table) => `(select count(*)::int from ${table}) as ${table}`).join(", ")}`

/** The schema version of a database. */
export const schemaVersionText = "select max(version)::int as version from svc_migrations"
