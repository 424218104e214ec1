/**
 * Connects to a PostgreSQL server.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Schedule } from "effect"
import { sessionSettings } from "./session.ts"
import { orUnusable, requireValidUrl } from "./DatabaseUnusable.ts"
import { migrate } from "./Migrations.ts"
import { watchSilence } from "./ReplyTimeout.ts"
import { addressOf, openSocket } from "./Socket.ts"

/**
 * The most connections of a process. Each runs one statement or transaction at a time, never several in a pipeline: a
 * pool that lets statements share a connection puts all of them on its first, where a short one waits for every long
 * one before it, and for the locks that those wait for.
 */
const maxConnections = 10

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

const connections = (url: Redacted.Redacted, keepsAlive: boolean) =>
  PgClient.layer({
    url,
    stream: () => {
      const socket = openSocket(addressOf(Redacted.value(url)))
      watchSilence(socket, statementMillis + transitMillis)
      if (!keepsAlive) socket.unref()
      return socket
    },
    maxConnections,
    connectTimeout: "2 seconds",
    applicationName,
    startupParameters: {
      ...sessionSettings,
      statement_timeout: `${statementMillis}ms`,
      idle_in_transaction_session_timeout: `${idleMillis}ms`,
      ...keepAlive
    }
  })

/**
 * Connections to the server at `url`, without migrations. A silent connection is destroyed once a statement has
 * waited longer than the server lets it run. Fails with `DatabaseUnusable`; statements fail with `SqlError`, which
 * `orUnusable` explains.
 *
 * @param source the setting that holds the URL, for messages
 * @param keepsAlive whether connections keep the process alive
 */
export const engine = (url: Redacted.Redacted, source?: string, keepsAlive = true) =>
  Layer.effectContext(
    Effect.andThen(
      requireValidUrl(url, source),
      Effect.suspend(() => orUnusable(url, source)(Layer.build(connections(url, keepsAlive))))
    )
  )

/**
 * Connections to the server at `url`, migrated to the current schema. The pool replaces broken connections; while the
 * server is unreachable, statements fail within the connect time-out. Fails with `DatabaseUnusable` and
 * `DatabaseTooNew`.
 *
 * @param source the setting that holds the URL, for messages
 * @param keepsAlive whether connections keep the process alive
 */
export const layer = (url: Redacted.Redacted, source?: string, keepsAlive = true) =>
  Layer.effectDiscard(
    Effect.retry(migrate, {
      ...startRetry,
      while: (error) => error._tag === "SqlError" && error.reason._tag === "ConnectionError"
    }).pipe(orUnusable(url, source))
  ).pipe(Layer.provideMerge(engine(url, source, keepsAlive)))
