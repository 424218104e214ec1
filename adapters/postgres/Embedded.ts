/**
 * PGlite as the engine: PostgreSQL in this process, its data in a directory or in memory.
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
import { lockDirectory } from "./DirectoryLock.ts"
import { openDurable, syncFolder, syncPath } from "./DurableFiles.ts"
import { migrate } from "./Migrations.ts"
import { connect } from "./PgliteStream.ts"

const placeName = "postgres"

/**
 * Opens the database of a directory that is locked. A new one is made beside its place and moved there when it is
 * complete and on the disk, so that one half made, when the process was killed or the power went, is never opened.
 */
const open = async (directory: string): Promise<PGlite> => {
  const place = join(directory, placeName)
  const partial = join(directory, "postgres.partial")
  if (!existsSync(place)) {
    await rm(partial, { recursive: true, force: true })
    const database = await openDurable(partial)
    await database.close()
    syncFolder(partial)
    await rename(partial, place)
    syncPath(directory)
  }
  return openDurable(place)
}

const inDirectory = (directory: string) =>
  Effect.gen(function* () {
    yield* Effect.promise(() => mkdir(directory, { recursive: true, mode: 0o700 }))
    yield* lockDirectory(directory)
    return yield* Effect.promise(() => open(directory))
  })

/**
 * PGlite has no autovacuum: without this, rows that changed would be kept for ever, and plans made for tables that have
 * grown since.
 */
const keepTidy = Effect.flatMap(SqlClient, (sql) =>
  Effect.forever(Effect.andThen(Effect.sleep("10 minutes"), Effect.ignore(sql.unsafe("vacuum (analyze)"))))
)

const inMemory = Effect.promise(() => PGlite.create())

/** The engine over `directory`, its schema as it is; made if need be. Fails as {@link layer}. */
export const engine = (directory: string | null) =>
  PgClient.layerFrom(
    Effect.gen(function* () {
      const database = yield* Effect.acquireRelease(
        directory === null ? inMemory : inDirectory(directory),
        (opened) => Effect.promise(() => opened.close())
      )
      return yield* PgClient.make({
        stream: () => connect(database),
        username: "postgres",
        database: "postgres",
        multiplex: true,
        // PGlite has one session, and it is never idle for too long.
        maxConnections: 1,
        minConnections: 1,
        idleTimeout: "Infinity"
      })
    })
  )

/**
 * The engine over `directory`, made if need be, or over memory when it is null; brought to the current schema. Fails
 * with `DataDirectoryInUse` when another process has the directory.
 */
export const layer = (directory: string | null) =>
  Layer.effectDiscard(Effect.andThen(migrate, Effect.forkScoped(keepTidy))).pipe(
    Layer.provideMerge(engine(directory))
  )

/** Whether a directory holds a database. */
export const isMade = (directory: string): boolean => existsSync(join(directory, placeName))
