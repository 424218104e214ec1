/**
 * A PostgreSQL server as the engine.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Schedule } from "effect"
import { sessionSettings } from "./session.ts"
import { migrate } from "./Migrations.ts"
import { watchSilence } from "./ReplyTimeout.ts"
import { addressOf, openSocket } from "./Socket.ts"

/**
 * The most connections a process opens. Each carries one statement or transaction at a time, never several in a
 * pipeline: a pool that lets statements share a connection puts all of them on its first, where a short one waits for
 * every long one before it, and for whatever locks that waits for.
 */
const maxConnections = 10

/** How long a start waits for a server that is not there yet, such as one started together with the service. */
const startPatience = { schedule: Schedule.spaced("500 millis"), times: 20 }

/** How long a statement may take: one that hangs is lost, and must not hold its locks for ever. Milliseconds. */
const statementMillis = 15_000

/** How much longer an answer may be under way, milliseconds. */
const transitMillis = 2_000

/**
 * Connections to the server at `url`, its schema as it is. One that has gone silent is given up once a statement has
 * waited for longer than the server lets it run.
 */
export const engine = (url: Redacted.Redacted) =>
  PgClient.layer({
    url,
    stream: () => {
      const socket = openSocket(addressOf(Redacted.value(url)))
      watchSilence(socket, statementMillis + transitMillis)
      return socket
    },
    maxConnections,
    connectTimeout: "2 seconds",
    applicationName: "svc",
    startupParameters: {
      ...sessionSettings,
      statement_timeout: `${statementMillis}ms`,
      // The locks of a transaction whose client was lost are held no longer than those of a statement.
      idle_in_transaction_session_timeout: `${statementMillis}ms`,
      // A connection that the network forgot is not held for the hours that systems wait by default.
      tcp_keepalives_idle: "10",
      tcp_keepalives_interval: "5",
      tcp_keepalives_count: "3"
    }
  })

/**
 * Connections to the server at `url`, brought to the current schema. Connections that broke are replaced by
 * themselves; while the server is away, statements fail within the connect time-out.
 */
export const layer = (url: Redacted.Redacted) =>
  Layer.effectDiscard(
    Effect.retry(migrate, {
      ...startPatience,
      while: (error) => error._tag === "SqlError" && error.reason._tag === "ConnectionError"
    })
  ).pipe(Layer.provideMerge(engine(url)))
