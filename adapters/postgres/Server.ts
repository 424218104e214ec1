/**
 * A PostgreSQL server as the engine.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, type Redacted, Schedule } from "effect"
import { sessionSettings } from "./session.ts"
import { migrate } from "./Migrations.ts"

/** The most connections a process opens; statements are pipelined, so only transactions need one each. */
const maxConnections = 10

/** How long a start waits for a server that is not there yet, such as one started together with the service. */
const startPatience = { schedule: Schedule.spaced("500 millis"), times: 20 }

/** Connections to the server at `url`, its schema as it is. */
export const engine = (url: Redacted.Redacted) =>
  PgClient.layer({
    url,
    multiplex: true,
    maxConnections,
    connectTimeout: "2 seconds",
    applicationName: "svc",
    startupParameters: {
      ...sessionSettings,
      // A statement that hangs is lost, and must not hold its locks for ever.
      statement_timeout: "15s",
      idle_in_transaction_session_timeout: "60s"
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
