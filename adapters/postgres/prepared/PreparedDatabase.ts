/**
 * The database that a first start begins with. It is made and migrated when the programs are built, and has no rows.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"

/** Compressed: a line of JSON, and the files one after the other. Built programs have it beside this module; sources have none. */
const packedFile = new URL("./database.gz", import.meta.url)

/** The first line: the folders, those above others first, and the files with their lengths in bytes. */
interface Contents {
  readonly folders: ReadonlyArray<string>
  readonly files: ReadonlyArray<readonly [path: string, length: number]>
}

/**
 * Writes the database into a directory that does not exist. It is durable only once the directory is synced. Returns whether
 * there is one to write.
 */
export const writePrepared = async (directory: string): Promise<boolean> => {
  const packed = await readFile(packedFile).catch(() => null)
  if (packed === null) return false
  const bytes = await promisify(gunzip)(packed)
  const end = bytes.indexOf("\n")
  const { files, folders } = JSON.parse(bytes.toString("utf8", 0, end)) as Contents
  mkdirSync(directory, { mode: 0o700 })
  for (const folder of folders) mkdirSync(join(directory, folder), { mode: 0o700 })
  let at = end + 1
  for (const [path, length] of files) {
    writeFileSync(join(directory, path), bytes.subarray(at, at + length), { mode: 0o600 })
    at += length
  }
  return true
}
