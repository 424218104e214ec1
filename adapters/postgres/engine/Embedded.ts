/**
 * Runs PostgreSQL in this process with PGlite, with its data in a directory or in memory.
 *
 * @module
 */
import { PGlite } from "@electric-sql/pglite"
import { PgClient } from "@effect/sql-pg"
import { type Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { existsSync } from "node:fs"
import { mkdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { untraced } from "../../../core/shared/Tracing.ts"
import { closeToOthers } from "./Permissions.ts"
import { lockDirectory } from "./DirectoryLock.ts"
import { databaseOf } from "./EarlyDatabase.ts"
import { syncFolder, syncPath } from "./FsyncFilesystem.ts"
import { loadDump, saveDump } from "../prepared/MemoryDump.ts"
import { migrate } from "./Migrations.ts"
import { openLasting, openThread, type PgliteSession, quietSessionOf } from "./Pglite.ts"
import { connect } from "./PgliteStream.ts"
import { writePrepared } from "../prepared/PreparedDatabase.ts"

/**
 * Opens the database of a locked directory. A new database is made in another directory, which is renamed when the database
 * is complete and on the disk. So an incomplete one, left by a killed process or a loss of power, is never opened. If
 * `mayBePrepared`, a new database may begin with the tables of the current schema and needs no migrations.
 */
const open = async (directory: string, mayBePrepared: boolean): Promise<PgliteSession> => {
  const path = databaseOf(directory)
  const partial = join(directory, "postgres.partial")
  if (!existsSync(path)) {
    await rm(partial, { recursive: true, force: true })
    if (!mayBePrepared || !(await writePrepared(partial))) {
      const database = await openThread(partial)
      await database.close()
      await closeToOthers(partial)
    }
    await syncFolder(partial)
    await rename(partial, path)
    syncPath(directory)
  }
  return openLasting(path)
}

const inDirectory = (directory: string, mayBePrepared: boolean) =>
  Effect.gen(function* () {
    yield* Effect.promise(() => mkdir(directory, { recursive: true, mode: 0o700 }))
    yield* lockDirectory(directory)
    return yield* Effect.promise(() => open(directory, mayBePrepared))
  })

/**
 * Vacuums and analyses each table. PGlite has no autovacuum. Without this, dead rows would remain indefinitely, as would
 * plans that were made before tables grew. Other statements can run between two tables.
 */
export const vacuumTables = Effect.gen(function* () {
  const sql = yield* SqlClient
  const tables = yield* sql.unsafe<{ readonly name: string }>(
    "select oid::regclass::text as name from pg_class where relkind = 'r' order by oid"
  )
  for (const { name } of tables) yield* Effect.ignore(sql.unsafe(`vacuum (analyze) ${name}`).unprepared)
})

/**
 * Makes a checkpoint if more than `bytes` have been written to the write-ahead log since the last one. PostgreSQL leaves this
 * to a process of its own, which PGlite does not have. Without checkpoints, the log would grow until the database is
 * closed, and would be read completely after a crash.
 */
export const limitLog = Effect.fnUntraced(function* (bytes: number) {
  const sql = yield* SqlClient
  const [found] = yield* sql.unsafe<{ readonly exceeds: boolean }>(
    "select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) > $1 as exceeds from pg_control_checkpoint()",
    [bytes]
  )
  if (found?.exceeds === true) yield* sql.unsafe("checkpoint").unprepared
})

/** The approximate maximum of the write-ahead log that is kept, in bytes. */
const logBytes = 128 * 1024 * 1024

const repeatedly = <E, R>(pause: Duration.Input, run: Effect.Effect<void, E, R>) =>
  Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(pause), untraced(Effect.ignore(run)))))

const keepTidy = Effect.andThen(
  repeatedly("10 minutes", vacuumTables),
  repeatedly("1 minute", limitLog(logBytes))
)

const closing = ({ close }: PgliteSession) => Effect.promise(close)

/** The size limit of a reply, in bytes: the largest row of PostgreSQL. Every reply is in this process's memory anyway. */
const maxMessageSize = 2 ** 30

const client = (session: PgliteSession) =>
  PgClient.make({
    stream: () => connect(session),
    username: "postgres",
    database: "postgres",
    multiplex: true,
    maxMessageSize,
    // PGlite has one session, without an idle time-out.
    maxConnections: 1,
    minConnections: 1,
    idleTimeout: "Infinity"
  })

/** The engine on `directory`, without migrations. Creates the database if there is none. Fails like {@link layer}. */
export const engine = (directory: string) =>
  PgClient.layerFrom(Effect.flatMap(Effect.acquireRelease(inDirectory(directory, false), closing), client))

/** Saves a dump of a database at the current schema that has no rows yet. */
const remember = (database: PGlite) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql.unsafe("checkpoint").unprepared
    yield* Effect.promise(async () => saveDump(await database.dumpDataDir("none")))
  })

const migrated = <E, R>(session: PgliteSession, ready: Effect.Effect<void, E, R>) =>
  Layer.effectDiscard(Effect.andThen(ready, keepTidy)).pipe(
    Layer.provideMerge(PgClient.layerFrom(client(session)))
  )

const layerInDirectory = (directory: string) =>
  Layer.unwrap(
    Effect.map(Effect.acquireRelease(inDirectory(directory, true), closing), (session) =>
      migrated(session, migrate("AtOnce"))
    )
  )

/** In memory and in this thread, for tests, most of whose time starting a thread would take. */
const layerInMemory = Layer.unwrap(
  Effect.gen(function* () {
    const dump = yield* Effect.promise(loadDump)
    const database = yield* Effect.promise(() => PGlite.create(dump === null ? {} : { loadDataDir: dump }))
    const session = quietSessionOf(database)
    yield* Effect.addFinalizer(() => closing(session))
    return migrated(
      session,
      dump === null ? Effect.andThen(migrate("AtOnce"), remember(database)) : migrate("AtOnce")
    )
  })
)

/**
 * The engine on `directory`, which is created if it is missing, or in memory if it is null, migrated to the current schema.
 * Fails with `DataDirectoryInUse` if another process uses the directory.
 */
export const layer = (directory: string | null) =>
  directory === null ? layerInMemory : layerInDirectory(directory)

/** Whether a directory contains a database. */
export const isMade = (directory: string): boolean => existsSync(databaseOf(directory))
