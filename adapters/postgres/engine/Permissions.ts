/**
 * Restricts files to their owner. PGlite creates the files of its catalogue readable and writable for all.
 *
 * @module
 */
import { chmod, lstat, readdir } from "node:fs/promises"
import { join } from "node:path"

/** The permission bits of a file's group and of others. */
export const othersMask = 0o077

const permissions = 0o777

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

const closeOne = async (path: string): Promise<void> => {
  const found = await lstat(path)
  if (found.isSymbolicLink()) return
  if (found.isDirectory()) await closeToOthers(path)
  if ((found.mode & othersMask) !== 0) await chmod(path, found.mode & permissions & ~othersMask)
}

/** Removes the permissions of group and others from everything in a directory. Files that PostgreSQL removes are skipped. */
export const closeToOthers = async (directory: string): Promise<void> => {
  const names = await readdir(directory)
  await Promise.all(
    names.map((name) =>
      closeOne(join(directory, name)).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
    )
  )
}
