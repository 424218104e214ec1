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
 * The most connections of a process. Each runs one statement or transaction at a time, never several in a pipeline: a
 * pool that lets statements share a connection puts all of them on its first, where a short one waits for every long
 * one before it, and for the locks that those wait for.
 */
export const maxConnections = 10

/** The most of a process beside a connection pooler: one that listens, and two at a start. */
export const maxDirectConnections = 3

/** How long a start waits for a server that is not reachable yet, such as one started together with the service. */
const startRetry = { schedule: Schedule.spaced("500 millis"), times: 20 }

/** The longest run time of a statement in milliseconds: one that hangs must not keep its locks. */
const statementMillis = 15_000

/**
 * The longest time in milliseconds for which the server waits for the next statement of a transaction: one whose node
 * has frozen must not keep its locks. Transactions wait for the database alone, never for a network.
 */
const idleMillis = 5_000

/** The name of the connections of a running service, which no other program's have. */
export const applicationName = "svc"

/** Additional time for a reply to arrive, milliseconds. */
const transitMillis = 2_000

/** Settings of a session: the system's default would keep a dropped connection for hours. */
export const keepAlive: Readonly<Record<string, string>> = {
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "3"
}

/** Settings of a session that plans and time limits depend on, in the words that the server uses for them. */
export const plannedSettings: Readonly<Record<string, string>> = {
  ...sessionSettings,
  statement_timeout: `${statementMillis / 1_000}s`,
  idle_in_transaction_session_timeout: `${idleMillis / 1_000}s`
}

/** What each session asks for. A connection pooler has to ignore their names. */
export const startupParameters: Readonly<Record<string, string>> = { ...plannedSettings, ...keepAlive }

const connections = (hosts: Hosts, url: Redacted.Redacted, most: number) =>
  PgClient.layer({
    // The pool reads it whenever it opens a connection.
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
 * Connections to the server at `url`, without migrations. A silent connection is destroyed once a statement has
 * waited longer than the server lets it run. Of several hosts the one that can be written to is used. Fails with
 * `DatabaseUnusable`; statements fail with `SqlError`, which `orUnusable` explains.
 *
 * @param source the setting that holds the URL, for messages
 * @param keepsAlive whether connections keep the process alive
 * @param most the most connections
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

/** Warns where a session has other settings than it asked for, as behind a connection pooler. */
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

/** Whether a start may succeed soon. */
const isStarting = (error: { readonly _tag: string }): boolean => {
  if (!isSqlError(error)) return false
  const { _tag, cause } = error.reason
  const code = cause instanceof Error && "code" in cause ? cause.code : null
  // Of several hosts, the first is a standby while none is the primary. A pooler refuses a parameter each time.
  return code === "25006" || (_tag === "ConnectionError" && code !== "08P01")
}

/**
 * Connections to the server at `url`, migrated to the current schema. The pool replaces broken connections; while the
 * server is unreachable, statements fail within the connect time-out. Fails with `DatabaseUnusable` and
 * `DatabaseTooNew`.
 *
 * @param source the setting that holds the URL, for messages
 * @param keepsAlive whether connections keep the process alive
 * @param direct connections that keep a session, where those to `url` do not: they migrate
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
 * The connections to the server at the URL of `SVC_STORE_DIRECT`: one that listens, and those of a migration.
 *
 * @param keepsAlive whether connections keep the process alive
 */
export const directEngine = (url: Redacted.Redacted, keepsAlive?: boolean) =>
  engine(url, "SVC_STORE_DIRECT", keepsAlive, maxDirectConnections)
