/**
 * Takes files from everybody but their owner: PGlite makes those of its catalogue for all to read and write.
 *
 * @module
 */
import { chmod, lstat, readdir } from "node:fs/promises"
import { join } from "node:path"

/** Permissions of a file's group and of others. */
export const othersMask = 0o077

const permissions = 0o777

/** Takes the permissions of group and others from everything in a directory. */
export const closeToOthers = async (directory: string): Promise<void> => {
  const names = await readdir(directory)
  await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name)
      const found = await lstat(path)
      if (found.isSymbolicLink()) return
      if (found.isDirectory()) await closeToOthers(path)
      if ((found.mode & othersMask) !== 0) await chmod(path, found.mode & permissions & ~othersMask)
    })
  )
}
