/**
 * Locks a data directory for one process.
 *
 * The lock is the exclusive lock of an SQLite file: the operating system holds it for the process and releases it
 * when the process ends, however it ends. Node and Bun both include SQLite, and their locks exclude each other.
 *
 * @module
 */
import { Data, Effect } from "effect"
import { join } from "node:path"

/** Another process uses the directory. */
export class DataDirectoryInUse extends Data.TaggedError("DataDirectoryInUse")<{
  readonly directory: string
}> {
  override get message(): string {
    return `The data directory ${this.directory} is in use by another process`
  }
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

const take = async (directory: string): Promise<Database | DataDirectoryInUse> => {
  const database = await open(join(directory, "lock"))
  try {
    database.exec("pragma busy_timeout = 0")
    database.exec("begin exclusive")
    return database
  } catch (error) {
    database.close()
    if (isBusy(error)) return new DataDirectoryInUse({ directory })
    throw error
  }
}

/** Locks an existing directory until the scope closes. */
export const lockDirectory = (directory: string) =>
  Effect.acquireRelease(
    Effect.flatMap(
      Effect.promise(() => take(directory)),
      (taken) => (taken instanceof DataDirectoryInUse ? Effect.fail(taken) : Effect.succeed(taken))
    ),
    (database) => Effect.sync(() => database.close())
  )
