/**
 * Connects to a PostgreSQL server.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import { type Hosts, makeHosts } from "../connection/Hosts.ts"
import { preparesByName } from "../connection/ConnectionUrl.ts"
import { orUnusable, requireValidUrl } from "./DatabaseUnusable.ts"
import { migrate } from "./Migrations.ts"
import { sessionSettings } from "./session.ts"

/**
 * The maximum number of connections of a process. Each runs one statement or transaction at a time, without pipelining. A
 * pool in which statements share connections puts all of them on its first connection, where a short statement waits for
 * every long one before it, and for the locks for which those wait.
 */
export const maxConnections = 10

/** The maximum of a process that uses a connection pooler: one that listens, and two at a start. */
export const maxDirectConnections = 3

/** How long a start waits for a server that is not yet reachable, for example because it starts at the same time. */
const startRetry = { schedule: Schedule.spaced("500 millis"), times: 20 }

/** The time limit of a statement, in milliseconds. A statement that hangs must not keep its locks. */
const statementMillis = 15_000

/**
 * How long the server waits for the next statement of a transaction, in milliseconds. A transaction whose node has frozen must
 * not keep its locks. Transactions wait only for the database, never for other network calls.
 */
const idleMillis = 5_000

/** The application name of a running service's connections. No other program uses it. */
export const applicationName = "svc"

/** The additional time for a reply to arrive, in milliseconds. */
const transitMillis = 2_000

/** Keep-alive settings of a session. With the system's defaults, a dropped connection would be kept for hours. */
export const keepAlive: Readonly<Record<string, string>> = {
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "3"
}

/** Settings of a session on which plans and time limits depend, as the server formats them. */
export const plannedSettings: Readonly<Record<string, string>> = {
  ...sessionSettings,
  statement_timeout: `${statementMillis / 1_000}s`,
  idle_in_transaction_session_timeout: `${idleMillis / 1_000}s`
}

/** The parameters that each session requests. A connection pooler must ignore those it does not support. */
export const startupParameters: Readonly<Record<string, string>> = { ...plannedSettings, ...keepAlive }

const connections = (hosts: Hosts, url: Redacted.Redacted, most: number) =>
  PgClient.layer({
    // Read by the pool whenever it opens a connection.
    get url() {
      return hosts.current()
    },
    stream: hosts.open,
    maxConnections: most,
    connectTimeout: "2 seconds",
    applicationName,
    prepare: preparesByName(Redacted.value(url)),
    startupParameters
  })

/**
 * Connections to the server at `url`, without migrations. A silent connection is destroyed once a statement has waited longer
 * than the server lets it run. Of several hosts, the one that accepts writes is used. Fails with `DatabaseUnusable`.
 * Statements fail with `SqlError`, which `orUnusable` explains.
 *
 * @param source the setting that has the URL, for messages
 * @param keepsAlive whether connections keep the process alive
 * @param most the maximum number of connections
 */
export const engine = (
  url: Redacted.Redacted,
  source?: string,
  keepsAlive = true,
  most: number = maxConnections
) =>
  Layer.effectContext(
    Effect.andThen(
      requireValidUrl(url, source),
      Effect.suspend(() =>
        Effect.flatMap(makeHosts(url, statementMillis + transitMillis, keepsAlive), (hosts) =>
          orUnusable(url, source)(Layer.build(connections(hosts, url, most)))
        )
      )
    )
  )

/** Warns if a session has other settings than requested, as behind a connection pooler. */
const checkSettings = Effect.gen(function* () {
  const sql = yield* SqlClient
  const names = Object.keys(plannedSettings)
  const found = yield* sql<{ name: string; value: string }>`
    select name, current_setting(name) as value from unnest(${names}::text[]) as s(name)`
  const missing = found.filter(({ name, value }) => plannedSettings[name] !== value).map(({ name }) => name)
  if (missing.length === 0) return
  yield* Effect.annotateLogs(
    Effect.logWarning(
      "the database's sessions lack settings: set them by ALTER ROLE, see docs/self-hosting.md"
    ),
    { settings: missing.map((name) => `${name}=${plannedSettings[name]}`).join(" ") }
  )
})

/** Whether a start may succeed shortly. */
const isStarting = (error: { readonly _tag: string }): boolean => {
  if (!isSqlError(error)) return false
  const { _tag, cause } = error.reason
  const code = cause instanceof Error && "code" in cause ? cause.code : null
  // 25006: of several hosts, the first is a standby while none is the primary. 08P01: a pooler rejects a parameter each time.
  return code === "25006" || (_tag === "ConnectionError" && code !== "08P01")
}

/**
 * Connections to the server at `url`, migrated to the current schema. The pool replaces broken connections. While the server
 * is unreachable, statements fail within the connect time-out. Fails with `DatabaseUnusable` and `DatabaseTooNew`.
 *
 * @param source the setting that has the URL, for messages
 * @param keepsAlive whether connections keep the process alive
 * @param direct connections that keep a session, used for migrations if those to `url` do not keep one
 */
export const layer = <E = never>(
  url: Redacted.Redacted,
  source?: string,
  keepsAlive = true,
  direct: Layer.Layer<PgClient.PgClient | SqlClient, E> | null = null
) => {
  const prepare = Effect.retry(migrate("Online"), { ...startRetry, while: isStarting })
  return Layer.effectDiscard(
    Effect.andThen(direct === null ? prepare : Effect.provide(prepare, direct), checkSettings).pipe(
      orUnusable(url, source)
    )
  ).pipe(Layer.provideMerge(engine(url, source, keepsAlive)))
}

/**
 * The connections to the server at the URL of `SVC_STORE_DIRECT`: one that listens, and those for migrations.
 *
 * @param keepsAlive whether connections keep the process alive
 */
export const directEngine = (url: Redacted.Redacted, keepsAlive?: boolean) =>
  engine(url, "SVC_STORE_DIRECT", keepsAlive, maxDirectConnections)
