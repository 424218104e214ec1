/**
 * The implementation of `svc backup`, `svc restore` and `svc migrate-store`. It is loaded on demand because it imports the
 * database engine.
 *
 * @module
 */
import { Config, Effect, Option, Redacted } from "effect"
import { resolve } from "node:path"
import * as Embedded from "../../../adapters/postgres/engine/Embedded.ts"
import * as Transfer from "../../../adapters/postgres/transfer/index.ts"
import { type Configuration, configuration } from "../../config/config.ts"
import { closeDataDirectory } from "../../server/dataDirectory.ts"
import { withProgress } from "../../telemetry/progress.ts"
import { describePlace } from "../checks/objects.ts"
import { CommandFailed, note, oneLine, print, UsageFailed } from "../output.ts"

const placeOf = ({ dataDir, store }: Configuration): Transfer.Place | null => {
  switch (store._tag) {
    case "Embedded":
      return { _tag: "Directory", directory: dataDir }
    case "Postgres":
      return store.direct === null
        ? { _tag: "Server", url: store.url, setting: "SVC_STORE" }
        : { _tag: "Server", url: store.direct, setting: "SVC_STORE_DIRECT" }
    case "Memory":
      return null
  }
}

/** The configured database, and where content outside it is stored; null if content is in the database. */
const configuredPlace = Effect.gen(function* () {
  const configured = yield* configuration
  const place = placeOf(configured)
  if (place === null) return yield* CommandFailed.of("SVC_STORE is memory, so there is nothing to copy")
  yield* closeDataDirectory(configured)
  const { objectStorage } = configured
  return { place, outside: objectStorage._tag === "Database" ? null : describePlace(objectStorage) }
})

const requireMade = (place: Transfer.Place) =>
  place._tag === "Directory" && !Embedded.isMade(place.directory)
    ? CommandFailed.of(`${oneLine(place.directory)} contains no embedded store, so there is nothing to copy`)
    : Effect.void

const counts = ({ rows, tables }: { readonly rows: number; readonly tables: number }): string =>
  `${rows} rows of ${tables} tables`

const run = <A, E, R>(work: Effect.Effect<A, E, R>) => withProgress(Effect.scoped(work))

/** Writes the configured database to a file. */
export const backupTo = Effect.fnUntraced(function* (path: string) {
  const { outside, place } = yield* configuredPlace
  yield* requireMade(place)
  const written = yield* run(Transfer.backup(place, path))
  yield* print(`Backed up ${counts(written)} and verified the file`)
  yield* note(
    "The file does not contain the secret key. The backup is useless without the key: store the key separately"
  )
  if (outside !== null) {
    yield* note(
      `The file does not contain the content of emails, which is in ${outside}: copy it now, after the backup`
    )
  }
})

const describe = (loaded: { readonly resumed: boolean; readonly rows: number; readonly tables: number }) =>
  `${counts(loaded)} and verified them${loaded.resumed ? ", continuing an interrupted run" : ""}`

/** Loads a file into the configured database. */
export const restoreFrom = Effect.fnUntraced(function* (path: string) {
  const { place } = yield* configuredPlace
  const loaded = yield* run(Transfer.restore(path, place))
  yield* print(`Restored ${describe(loaded)}`)
  yield* note(
    "Start the service with the secret key of the backup. Then run svc erasures apply to erase again the people who were erased since"
  )
})

const isUrl = (text: string): boolean => /^postgres(ql)?:\/\//.test(text)

const serverAt = (url: string, setting: string): Transfer.Place => ({
  _tag: "Server",
  url: Redacted.make(url),
  setting
})

/** Copies a database into an empty database on a server. */
export const moveStore = Effect.fnUntraced(function* (from: string, to: string | null) {
  const target = to ?? Option.getOrElse(yield* Config.option(Config.String("SVC_STORE")), () => "")
  if (!isUrl(target)) {
    return yield* UsageFailed.of(
      "--to must be the URL of a PostgreSQL database, such as postgres://user:password@host/database"
    )
  }
  const source: Transfer.Place = isUrl(from)
    ? serverAt(from, "--from")
    : { _tag: "Directory", directory: resolve(from) }
  yield* requireMade(source)
  const loaded = yield* run(Transfer.move(source, serverAt(target, to === null ? "SVC_STORE" : "--to")))
  yield* print(`Copied ${describe(loaded)}`)
  yield* note(
    source._tag === "Directory"
      ? "Start the service with SVC_STORE set to the new store and SVC_SECRET_KEY set to the same key as before. If you never set it, it is in the file secret.key in the data directory"
      : "Start the service with SVC_STORE set to the new store and the same SVC_SECRET_KEY"
  )
  return undefined
})
