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
import { openDurable, syncFolder, syncPath } from "./FsyncFilesystem.ts"
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

/**
 * What an in-memory database of the current schema is made of, once one has been made in this process: the next starts
 * from a copy, in a fraction of the time.
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
    // PGlite has one session, and it is never idle for too long.
    maxConnections: 1,
    minConnections: 1,
    idleTimeout: "Infinity"
  })

/** The engine over `directory`, its schema as it is; made if need be. Fails as {@link layer}. */
export const engine = (directory: string) => PgClient.layerFrom(Effect.flatMap(opened(directory), client))

/** Remembers a database of the current schema that nothing was written to yet. */
const remember = (database: PGlite) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql.unsafe("checkpoint")
    made = yield* Effect.promise(() => database.dumpDataDir("none"))
  })

/**
 * The engine over `directory`, made if need be, or over memory when it is null; brought to the current schema. Fails
 * with `DataDirectoryInUse` when another process has the directory.
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
export const isMade = (directory: string): boolean => existsSync(join(directory, placeName))
