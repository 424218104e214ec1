/**
 * Every storage port in PostgreSQL: on a server, or on PGlite in this process. The same statements and the same
 * schema serve both.
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
 * The most people of a campaign over one session: reading so many took 18 s on a busy machine of two cores, and no statement longer
 * than 1.7 s.
 */
export const maxEmbeddedAudience = 250_000

/** The ports, over a database with one session for all transactions or with many. */
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
 * All storage ports over the server at `url`, brought to the current schema. Fails with `DatabaseUnusable`, whose message
 * says why and what to do.
 *
 * @param source the setting that holds the URL, for messages; `SVC_STORE` unless given
 * @param keepsAlive whether connections keep the process alive; true unless given
 * @param directUrl leads past the connection pooler that `url` leads to, for what needs a session of its own: it listens
 *   for wake-ups and migrates
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
 * All storage ports over PGlite in `directory`, or in memory when it is null, brought to the current schema. Fails
 * with `DataDirectoryInUse` when another process has the directory.
 */
export const layerEmbedded = (directory: string | null) =>
  portsOver("One").pipe(
    Layer.provide(JobNotifier.layerEmbedded),
    Layer.provide(Layer.effectDiscard(endLeases).pipe(Layer.provideMerge(Embedded.layer(directory))))
  )
