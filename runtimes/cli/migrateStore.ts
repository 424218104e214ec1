/**
 * The implementation of `svc migrate`. It is loaded on demand because it imports the database engine.
 *
 * @module
 */
import type { PgClient } from "@effect/sql-pg"
import { Effect, type Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { DataDirectoryInUse } from "../../adapters/postgres/engine/DirectoryLock.ts"
import * as Embedded from "../../adapters/postgres/engine/Embedded.ts"
import { type DatabaseUnusable, orUnusable } from "../../adapters/postgres/engine/DatabaseUnusable.ts"
import {
  currentSchema,
  DatabaseTooNew,
  migrate,
  requireEngine,
  schemaVersion
} from "../../adapters/postgres/engine/Migrations.ts"
import * as Server from "../../adapters/postgres/engine/Server.ts"
import { type Configuration, configuration } from "../config/config.ts"
import { closeDataDirectory } from "../server/dataDirectory.ts"
import { withProgress } from "../telemetry/progress.ts"
import { BadNews, CommandFailed, print } from "./output.ts"

/** The configured database, without a connection pooler and with an unchanged schema; null for storage in memory. */
export const engineOf = ({
  dataDir,
  store
}: Pick<Configuration, "dataDir" | "store">): Layer.Layer<
  PgClient.PgClient | SqlClient,
  DatabaseUnusable | DataDirectoryInUse | SqlError
> | null => {
  switch (store._tag) {
    case "Embedded":
      return Embedded.engine(dataDir)
    case "Postgres":
      return store.direct === null ? Server.engine(store.url) : Server.directEngine(store.direct)
    case "Memory":
      return null
  }
}

/** Explains failed statements of a command on the configured database. */
export const explainFailures = ({ store }: Pick<Configuration, "store">) =>
  store._tag === "Postgres" && store.direct !== null
    ? orUnusable(store.direct, "SVC_STORE_DIRECT")
    : orUnusable(store._tag === "Postgres" ? store.url : null)

const tellBehind = (schema: number) =>
  Effect.andThen(
    print(`The store has schema ${schema}, and this version needs ${currentSchema}: run svc migrate`),
    Effect.fail(new BadNews())
  )

/** Migrates the database to the current schema. With `check`, only reports whether it is current. */
export const migrateStore = Effect.fnUntraced(function* (check: boolean) {
  const configured = yield* configuration
  const engine = engineOf(configured)
  if (engine === null) return yield* CommandFailed.of("SVC_STORE is memory: there is nothing to migrate")
  const { dataDir, store } = configured
  yield* closeDataDirectory(configured)
  if (check && store._tag === "Embedded" && !Embedded.isMade(dataDir)) return yield* tellBehind(0)
  const work = Effect.gen(function* () {
    yield* requireEngine
    const from = yield* schemaVersion
    if (from > currentSchema) {
      return yield* CommandFailed.of(new DatabaseTooNew({ found: from, known: currentSchema }).message)
    }
    if (from === currentSchema) return yield* print(`The store has schema ${from}, which is current`)
    if (check) return yield* tellBehind(from)
    yield* migrate(store._tag === "Postgres" ? "Online" : "AtOnce")
    return yield* print(`The store was migrated from schema ${from} to ${yield* schemaVersion}`)
  })
  return yield* withProgress(explainFailures(configured)(Effect.provide(work, engine)))
})
