/**
 * Locks a data directory for one process.
 *
 * @module
 */
import { Data, Effect } from "effect"
import { lockIn, takeEarlyLock } from "./EarlyDatabase.ts"

/** Another process uses the directory. */
export class DataDirectoryInUse extends Data.TaggedError("DataDirectoryInUse")<{
  readonly directory: string
}> {
  override get message(): string {
    return `The data directory ${this.directory} is in use by another process`
  }
}

/** Locks an existing directory until the scope closes. */
export const lockDirectory = (directory: string) =>
  Effect.acquireRelease(
    Effect.flatMap(
      Effect.promise(async () => takeEarlyLock(directory) ?? (await lockIn(directory))),
      (lock) => (lock === null ? Effect.fail(new DataDirectoryInUse({ directory })) : Effect.succeed(lock))
    ),
    (lock) => Effect.sync(lock.release)
  )
