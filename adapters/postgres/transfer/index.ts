/**
 * Copies a whole database: into a backup file, from a backup file, or into another database.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import { randomUUID } from "node:crypto"
import { Progress } from "../engine/Progress.ts"
import { BackupFileInvalid, BackupWriter, openBackup, tableChanged } from "./BackupFile.ts"
import { Digests } from "./Digest.ts"
import { load } from "./Load.ts"
import { connect, type Place, refuseLive, TransferFailed } from "./Place.ts"
import { listTables, type Source, sourceOf, type Table, withSnapshot } from "./Snapshot.ts"

export { type Place, TransferFailed } from "./Place.ts"

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown reason"

/** Runs work on a file. Its failures say what could not be done. */
const onFile = <A>(path: string, what: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      new TransferFailed({
        message:
          error instanceof BackupFileInvalid ? error.message : `${path} cannot be ${what}: ${codeOf(error)}`
      })
  })

/** Counts the bytes of tables, in order to report the progress of reading. */
const tableProgress = (tables: ReadonlyArray<Table>) => {
  const total = tables.reduce((sum, { bytes }) => sum + bytes, 0)
  let before = 0
  let current: Table | undefined
  let read = 0
  return (table: Table, lines: ReadonlyArray<string>) => {
    if (current !== table) {
      before += current?.bytes ?? 0
      current = table
      read = 0
    }
    for (const line of lines) read += line.length
    return { done: before + Math.min(read, table.bytes), total }
  }
}

/** A database as a source that reports its progress. */
const reported = (source: Source, phase: string) =>
  Effect.map(Progress, (report): Source => {
    const progress = tableProgress(source.tables)
    return {
      ...source,
      read: (take) =>
        source.read((table, lines) => {
          const { done, total } = progress(table, lines)
          report(phase, done, total)
          return take(table, lines)
        })
    }
  })

const theSource = (sql: SqlClient, phase: string) =>
  Effect.flatMap(sourceOf(sql), (source) =>
    source === null
      ? TransferFailed.of("The source database is empty: there is nothing to copy")
      : reported(source, phase)
  )

/** Reads a file and compares it with what was written. */
const verifyFile = Effect.fnUntraced(function* (path: string, expected: Digests, source: Source) {
  const report = yield* Progress
  const found = new Digests()
  const { entries } = yield* onFile(path, "read", () =>
    openBackup(path, (read, size) => report("Verifying", read, size))
  )
  yield* onFile(path, "read", async () => {
    for await (const entry of entries) if ("lines" in entry) found.of(entry.table).add(entry.lines)
  })
  const names = source.tables.map(({ name }) => name)
  const [difference] = expected.differences(found, names)
  if (difference !== undefined)
    return yield* TransferFailed.of(`The backup was not written as read: ${difference}`)
  return undefined
})

/** What a copy contains. */
export interface Copied {
  readonly tables: number
  readonly rows: number
}

/**
 * Writes a database to a file as of one point in time, and reads the file again to verify it. A service may run on a server at
 * the same time. The file gets its name when it is complete, only its owner can read it, and it replaces an older file.
 */
export const backup = Effect.fnUntraced(function* (from: Place, path: string) {
  const sql = yield* connect(from)
  const at = new Date(yield* Clock.currentTimeMillis).toISOString()
  const digests = new Digests()
  const write = (work: () => Promise<void>) => onFile(path, "written", work)
  const writeAll = (file: BackupWriter) =>
    withSnapshot(
      sql,
      Effect.gen(function* () {
        const source = yield* theSource(sql, "Backing up")
        const { schema, sequences, tables } = source
        yield* write(() => file.begin({ id: randomUUID(), schema, at, tables, sequences }))
        let current: string | null = null
        const endTable = (next: string | null) =>
          write(async () => {
            if (current !== null) await file.endTable(current, digests.of(current))
            current = next
            if (next !== null) await file.beginTable(next)
          })
        yield* source.read((table, lines) =>
          Effect.andThen(
            table.name === current ? Effect.void : endTable(table.name),
            Effect.suspend(() => {
              digests.of(table.name).add(lines)
              return write(() => file.rows(lines))
            })
          )
        )
        yield* endTable(null)
        yield* write(() =>
          file.end(Object.fromEntries(tables.map(({ name }) => [name, digests.of(name).rows])))
        )
        return source
      })
    )
  const source = yield* Effect.acquireUseRelease(
    onFile(path, "written", () => BackupWriter.open(path)),
    (file) =>
      Effect.gen(function* () {
        const read = yield* writeAll(file)
        yield* verifyFile(BackupWriter.partial(path), digests, read)
        yield* write(() => file.keep())
        return read
      }),
    (file) => Effect.promise(() => file.close())
  )
  return { tables: source.tables.length, rows: digests.rows } satisfies Copied
})

const watcherOf = (place: Place) => (place._tag === "Server" ? connect(place) : Effect.succeed(null))

/** Whether the database cannot store a row, because of an invalid value (22) or a constraint (23). */
const isRefusedRow = (error: unknown): boolean =>
  isSqlError(error) && /^2[23]/.test(codeOf(error.reason.cause))

/** A backup file as a source. */
const fileSource = Effect.fnUntraced(function* (path: string) {
  const report = yield* Progress
  const { entries, header } = yield* onFile(path, "read", () =>
    openBackup(path, (read, size) => report("Restoring", read, size))
  )
  const { id, schema, sequences, tables } = header
  const named = new Map(tables.map((table) => [table.name, table]))
  const digests = new Digests()
  const changed = (table: string) => new TransferFailed({ message: tableChanged(path, table).message })
  const source: Source = {
    id: `backup ${id}`,
    schema,
    tables,
    sequences,
    read: Effect.fnUntraced(function* (take) {
      for (;;) {
        const next = yield* onFile(path, "read", () => entries.next())
        if (next.done === true) return undefined
        const entry = next.value
        const table = named.get(entry.table)
        const digest = digests.of(entry.table)
        if (table !== undefined && "lines" in entry) {
          digest.add(entry.lines)
          yield* Effect.mapError(take(table, entry.lines), (error) =>
            isRefusedRow(error) ? changed(entry.table) : error
          )
        } else if (!("hash" in entry) || entry.rows !== digest.rows || entry.hash !== digest.hash) {
          return yield* changed(entry.table)
        }
      }
    })
  }
  return source
})

/**
 * Loads a backup into an empty database. If it was interrupted, running it again continues it. It verifies the file while
 * reading it, and then the content of the database. No service may use the database.
 */
export const restore = Effect.fnUntraced(function* (path: string, to: Place) {
  const source = yield* fileSource(path)
  const sql = yield* connect(to)
  yield* refuseLive(sql, to, "the target database")
  return yield* load(sql, source, yield* watcherOf(to))
})

/** How long to wait for a table of the source that is locked by others, such as a service that this program does not see. */
const lockTimeout = "5s"

/**
 * Copies a database into an empty one, and compares them. No service may use either. The source is locked against writes
 * during the copy. If it was interrupted, running it again continues it.
 */
export const move = Effect.fnUntraced(function* (from: Place, to: Place) {
  const [source, target] = [yield* connect(from), yield* connect(to)]
  yield* refuseLive(source, from, "the source database")
  yield* refuseLive(target, to, "the target database")
  const watcher = yield* watcherOf(to)
  return yield* withSnapshot(
    source,
    Effect.gen(function* () {
      const tables = yield* listTables(source)
      yield* source.unsafe(`set local lock_timeout = '${lockTimeout}'`)
      for (const { name } of tables) yield* source.unsafe(`lock table "${name}" in share mode`)
      return yield* load(target, yield* theSource(source, "Copying"), watcher)
    })
  )
})
