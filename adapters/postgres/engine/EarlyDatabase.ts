/**
 * Locks data directories, and opens the embedded database of a process before the rest of the service is loaded, because both
 * take about as long.
 *
 * The lock is an exclusive lock of an SQLite file. The operating system holds it for the process and releases it when the
 * process ends for any reason. Node and Bun both include SQLite, and their locks exclude each other.
 *
 * @module
 */
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { startEarly } from "./Pglite.ts"

/** A lock that is held until it is released. */
export interface DirectoryLock {
  readonly release: () => void
}

interface Database {
  readonly exec: (statement: string) => unknown
  readonly close: () => void
}

const open = async (path: string): Promise<Database> => {
  if ("bun" in process.versions) {
    const name = "bun:sqlite"
    const { Database: BunDatabase } = (await import(name)) as { Database: new (path: string) => Database }
    return new BunDatabase(path)
  }
  const { DatabaseSync } = await import("node:sqlite")
  return new DatabaseSync(path)
}

const isBusy = (error: unknown): boolean => error instanceof Error && error.message.includes("locked")

/** Takes the lock of an existing directory, and creates its file if it is missing; null if another process holds it. */
export const lockIn = async (directory: string): Promise<DirectoryLock | null> => {
  const database = await open(join(directory, "lock"))
  try {
    database.exec("pragma busy_timeout = 0")
    database.exec("begin exclusive")
    return { release: () => database.close() }
  } catch (error) {
    database.close()
    if (isBusy(error)) return null
    throw error
  }
}

/** The path of the database in a data directory. */
export const databaseOf = (directory: string): string => join(directory, "postgres")

let held: { readonly directory: string; readonly lock: DirectoryLock } | null = null

/**
 * Locks a data directory and begins to open its database. If there is none yet, or another process uses the directory, it only
 * loads PostgreSQL. Everything else is done, or fails, when the storage is opened.
 */
export const openEarly = async (directory: string): Promise<void> => {
  const lock = existsSync(databaseOf(directory)) ? await lockIn(directory).catch(() => null) : null
  if (lock !== null) held = { directory: resolve(directory), lock }
  startEarly(lock === null ? null : databaseOf(directory))
}

/** The lock of a directory that was opened early. Returned once. */
export const takeEarlyLock = (directory: string): DirectoryLock | null => {
  if (held?.directory !== resolve(directory)) return null
  const { lock } = held
  held = null
  return lock
}
