/**
 * Implements every storage port on PostgreSQL: on a server, or on PGlite in this process. Both use the same statements and
 * the same schema.
 *
 * @module
 */
import { Layer, type Redacted } from "effect"
import { StorageLimits } from "../../core/ports/StorageLimits.ts"
import * as Embedded from "./engine/Embedded.ts"
import * as JobNotifier from "./engine/JobNotifier.ts"
import * as Server from "./engine/Server.ts"
import { endLeases } from "./JobQueue.ts"
import * as layers from "./layers.ts"
import * as Transaction from "./Transaction.ts"

const [first, ...others] = Object.values(layers)

/**
 * The maximum number of people in a campaign on a database with one session. Reading this many took 18 s on a busy machine with
 * two cores, and no single statement took longer than 1.7 s.
 */
export const maxEmbeddedAudience = 250_000

/** The ports, on a database with one session for all transactions or with many. */
const portsOver = (sessions: "One" | "Many") =>
  Layer.mergeAll(
    first!,
    ...others,
    Layer.succeed(
      StorageLimits,
      StorageLimits.of({ maxAudience: sessions === "One" ? maxEmbeddedAudience : null })
    )
  ).pipe(
    Layer.provide([layers.AccountStore, layers.DomainStore, layers.SuppressionStore]),
    Layer.provideMerge(Transaction.layer(sessions === "One"))
  )

/**
 * All storage ports on the server at `url`, migrated to the current schema. Fails with `DatabaseUnusable`, whose message says
 * what is wrong and what to do.
 *
 * @param source the setting that has the URL, for messages; by default `SVC_STORE`
 * @param keepsAlive whether connections keep the process alive; by default true
 * @param directUrl a URL that bypasses the connection pooler of `url`, for uses that need a session of their own: listening
 *   for wake-ups, and migrations
 */
export const layerServer = (
  url: Redacted.Redacted,
  source?: string,
  keepsAlive?: boolean,
  directUrl: Redacted.Redacted | null = null
) => {
  const direct = directUrl === null ? null : Server.directEngine(directUrl, keepsAlive)
  const notifier =
    direct === null ? JobNotifier.layerServer : JobNotifier.layerServer.pipe(Layer.provide(direct))
  return portsOver("Many").pipe(
    Layer.provide(notifier),
    Layer.provide(Server.layer(url, source, keepsAlive, direct))
  )
}

/**
 * All storage ports on PGlite in `directory`, or in memory if it is null, migrated to the current schema. Fails with
 * `DataDirectoryInUse` if another process uses the directory.
 */
export const layerEmbedded = (directory: string | null) =>
  portsOver("One").pipe(
    Layer.provide(JobNotifier.layerEmbedded),
    Layer.provide(Layer.effectDiscard(endLeases).pipe(Layer.provideMerge(Embedded.layer(directory))))
  )
