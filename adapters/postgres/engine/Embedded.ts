/**
 * Runs PostgreSQL in this process with PGlite, its data in a directory or in memory.
 *
 * @module
 */
import { PGlite } from "@electric-sql/pglite"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { existsSync } from "node:fs"
import { mkdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { closeToOthers } from "./Permissions.ts"
import { lockDirectory } from "./DirectoryLock.ts"
import { openDurable, syncFolder, syncPath } from "./FsyncFilesystem.ts"
import { migrate } from "./Migrations.ts"
import { connect } from "./PgliteStream.ts"

const databaseFolder = "postgres"

/**
 * Opens the database of a locked directory. A new one is made in another directory and renamed when it is complete
 * and on the disk, so that a half-made one, left by a killed process or a loss of power, is never opened.
 */
const open = async (directory: string): Promise<PGlite> => {
  const path = join(directory, databaseFolder)
  const partial = join(directory, "postgres.partial")
  if (!existsSync(path)) {
    await rm(partial, { recursive: true, force: true })
    const database = await openDurable(partial)
    await database.close()
    await closeToOthers(partial)
    syncFolder(partial)
    await rename(partial, path)
    syncPath(directory)
  }
  return openDurable(path)
}

const inDirectory = (directory: string) =>
  Effect.gen(function* () {
    yield* Effect.promise(() => mkdir(directory, { recursive: true, mode: 0o700 }))
    yield* lockDirectory(directory)
    return yield* Effect.promise(() => open(directory))
  })

/**
 * PGlite has no autovacuum: without this, dead rows would stay indefinitely, and so would plans made before tables
 * had grown.
 */
const keepTidy = Effect.flatMap(SqlClient, (sql) =>
  Effect.forever(Effect.andThen(Effect.sleep("10 minutes"), Effect.ignore(sql.unsafe("vacuum (analyze)"))))
)

/**
 * A dump of the first in-memory database of this process, at the current schema: later ones start from a copy, in a
 * fraction of the time.
 */
let made: Blob | null = null

const inMemory = Effect.suspend(() =>
  Effect.promise(() => PGlite.create(made === null ? {} : { loadDataDir: made }))
)

const opened = (directory: string | null) =>
  Effect.acquireRelease(directory === null ? inMemory : inDirectory(directory), (database) =>
    Effect.promise(() => database.close())
  )

const client = (database: PGlite) =>
  PgClient.make({
    stream: () => connect(database),
    username: "postgres",
    database: "postgres",
    multiplex: true,
    // PGlite has one session, which has no idle time-out.
    maxConnections: 1,
    minConnections: 1,
    idleTimeout: "Infinity"
  })

/** The engine over `directory` without migrations; creates the database if there is none. Fails as {@link layer}. */
export const engine = (directory: string) => PgClient.layerFrom(Effect.flatMap(opened(directory), client))

/** Dumps a database of the current schema that has no rows yet. */
const remember = (database: PGlite) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql.unsafe("checkpoint")
    made = yield* Effect.promise(() => database.dumpDataDir("none"))
  })

/**
 * The engine over `directory`, created if it is missing, or over memory when it is null; migrated to the current
 * schema. Fails with `DataDirectoryInUse` when another process uses the directory.
 */
export const layer = (directory: string | null) =>
  Layer.unwrap(
    Effect.map(opened(directory), (database) => {
      const ready =
        directory === null && made === null ? Effect.andThen(migrate, remember(database)) : migrate
      return Layer.effectDiscard(Effect.andThen(ready, Effect.forkScoped(keepTidy))).pipe(
        Layer.provideMerge(PgClient.layerFrom(client(database)))
      )
    })
  )

/** Whether a directory holds a database. */
export const isMade = (directory: string): boolean => existsSync(join(directory, databaseFolder))
