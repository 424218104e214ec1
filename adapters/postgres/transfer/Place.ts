/**
 * Connects to a database in order to copy all of it, with one session, whose statements have no time limit.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Data, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { makeHosts } from "../connection/Hosts.ts"
import { orUnusable, requireValidUrl } from "../engine/DatabaseUnusable.ts"
import * as Embedded from "../engine/Embedded.ts"
import { requireEngine } from "../engine/Migrations.ts"
import { applicationName, keepAlive } from "../engine/Server.ts"

/** The location of a database: a data directory of the embedded database, or a server. */
export type Place =
  | { readonly _tag: "Directory"; readonly directory: string }
  | {
      readonly _tag: "Server"
      readonly url: Redacted.Redacted
      /** The setting that has the URL, for messages. */
      readonly setting: string
    }

/** A copy cannot be made. The message is one line that says why and what to do. It contains no secret. */
export class TransferFailed extends Data.TaggedError("TransferFailed")<{ readonly message: string }> {
  /** An effect that fails with this message. */
  static of(message: string): Effect.Effect<never, TransferFailed> {
    return Effect.fail(new TransferFailed({ message }))
  }
}

/** The longest message of a server, in bytes. A row is one message, and PostgreSQL's values have at most 1 GiB. */
const maxMessageSize = 2 ** 30

const server = (url: Redacted.Redacted) =>
  Layer.unwrap(
    Effect.map(makeHosts(url, null, true), (hosts) =>
      PgClient.layer({
        get url() {
          return hosts.current()
        },
        stream: hosts.open,
        maxConnections: 1,
        minConnections: 1,
        idleTimeout: "Infinity",
        connectTimeout: "5 seconds",
        applicationName: "svc transfer",
        startupParameters: { ...keepAlive, statement_timeout: "0", idle_in_transaction_session_timeout: "0" },
        maxMessageSize
      })
    )
  )

const clientOf = <E, R>(layer: Layer.Layer<SqlClient, E, R>) =>
  Effect.map(Layer.build(layer), (services) => Context.get(services, SqlClient))

const connectServer = Effect.fnUntraced(function* (url: Redacted.Redacted, setting: string) {
  yield* requireValidUrl(url, setting)
  return yield* clientOf(server(url)).pipe(
    Effect.tap((sql) => Effect.provideService(requireEngine, SqlClient, sql)),
    orUnusable(url, setting)
  )
})

/**
 * A client of the database, until the scope closes. Fails with `DataDirectoryInUse` if another process uses the directory, and
 * with `DatabaseUnusable` if the server cannot be used.
 */
export const connect = (place: Place) =>
  place._tag === "Directory"
    ? clientOf(Embedded.engine(place.directory))
    : connectServer(place.url, place.setting)

/** Fails if a running service uses the database. Data directories are locked, so this concerns only servers. */
export const refuseLive = Effect.fnUntraced(function* (sql: SqlClient, place: Place, what: string) {
  if (place._tag === "Directory") return undefined
  const [found] = yield* sql<{ sessions: number }>`
    select count(*)::int as sessions from pg_stat_activity
    where datname = current_database() and application_name = ${applicationName}`
  if (found!.sessions > 0) {
    return yield* TransferFailed.of(
      `A service uses ${what} (${found!.sessions} connections): stop every node, then run the command again`
    )
  }
  return undefined
})
