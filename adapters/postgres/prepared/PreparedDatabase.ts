/**
 * Provides the database with which a first start begins. It is created and migrated when the programs are built, and has no rows.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"

/** A compressed file with a line of JSON, followed by the files. Built programs have it beside this module; sources have none. */
const packedFile = new URL("./database.gz", import.meta.url)

/** The first line: the folders, parents first, and the files with their lengths in bytes. */
interface Contents {
  readonly folders: ReadonlyArray<string>
  readonly files: ReadonlyArray<readonly [path: string, length: number]>
}

/**
 * Writes the database to a directory that does not exist. It is durable only after the directory is synced. Returns whether
 * there was a prepared database.
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
