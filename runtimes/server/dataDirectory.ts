/**
 * Restricts the data directory to the user that runs the service. It contains personal data and, unless `SVC_SECRET_KEY` is set,
 * the key that seals the secrets in it.
 *
 * @module
 */
import { Data, Effect } from "effect"
import { chmod, readdir, stat } from "node:fs/promises"
import { closeToOthers, othersMask } from "../../adapters/postgres/engine/Permissions.ts"
import type { Configuration } from "../config/config.ts"

/** The group or others can read or write the data directory, and the service may not change that directory. */
export class DataDirectoryOpen extends Data.TaggedError("DataDirectoryOpen")<{
  readonly path: string
  readonly mode: number
  readonly isOwn: boolean
}> {
  override get message(): string {
    const octal = this.mode.toString(8).padStart(4, "0")
    const remedy = this.isOwn
      ? `chmod 700 ${this.path}, or set SVC_DATA_DIR to a directory of its own`
      : `give it to the user the service runs as, then chmod 700 ${this.path}`
    return `The data directory ${this.path} is open to its group or others (${octal}): ${remedy}`
  }
}

const permissions = 0o777

/** Names that the service creates in a data directory. A directory with any of them belongs to the service. */
const ownNames: ReadonlySet<string> = new Set(["lock", "postgres", "secret.key"])

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

/** Closes a directory to others, or returns why it must not be used. */
const close = async (path: string): Promise<DataDirectoryOpen | null> => {
  const found = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  if (found === null || !found.isDirectory()) return null
  const names = await readdir(path)
  const isMade = names.some((name) => ownNames.has(name))
  const mode = found.mode & permissions
  if ((mode & othersMask) !== 0) {
    const isOwn = found.uid === process.getuid?.()
    if (!isOwn || (names.length > 0 && !isMade)) return new DataDirectoryOpen({ path, mode, isOwn })
    await chmod(path, 0o700)
  }
  // Earlier versions created files that others could read, and copies of these files are readable too.
  if (isMade) await closeToOthers(path)
  return null
}

/**
 * Closes the data directory of a configuration to everyone except its owner, if it is empty or the service created it. Fails with
 * {@link DataDirectoryOpen} for any other directory that the group or others can read or write. If the directory does not exist,
 * it is created with restricted permissions when it is first written to.
 */
export const closeDataDirectory = ({ dataDir, store }: Pick<Configuration, "dataDir" | "store">) =>
  store._tag === "Memory"
    ? Effect.void
    : Effect.flatMap(
        Effect.promise(() => close(dataDir)),
        (refused) => (refused === null ? Effect.void : Effect.fail(refused))
      )
