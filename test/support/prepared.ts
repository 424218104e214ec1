/**
 * What the processes of one test run share, so that none does again what another did: code that was compiled, and an
 * empty embedded database. Outside a test run there is neither, and everything is made anew.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const variable = "SVC_TEST_PREPARED"
const root = join(import.meta.dirname, "../..")
const migrateMillis = 120_000

/** Prepares this process and all it starts; what it answers removes what they shared. */
export const share = async (): Promise<() => Promise<void>> => {
  const folder = await mkdtemp(join(tmpdir(), "svc-prepared-"))
  process.env[variable] = folder
  process.env["NODE_COMPILE_CACHE"] = join(folder, "code")
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3 })
}

/** The variables of a process that shares compiled code. */
export const sharedCode = (): Readonly<Record<string, string>> => {
  const cache = process.env["NODE_COMPILE_CACHE"]
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }
}

/** An empty database of the current schema, as `svc migrate` leaves it. */
const databaseIn = (folder: string): string => {
  const place = join(folder, "postgres")
  if (existsSync(place)) return place
  const data = mkdtempSync(join(folder, "data-"))
  const migrated = spawnSync(
    join(root, "node_modules/.bin/node"),
    [join(root, "runtimes/cli/main.ts"), "migrate"],
    {
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], SVC_DATA_DIR: data, ...sharedCode() },
      encoding: "utf8",
      timeout: migrateMillis
    }
  )
  if (migrated.status !== 0) throw new Error(`svc migrate ended with ${migrated.status}: ${migrated.stderr}`)
  try {
    renameSync(join(data, "postgres"), place)
  } catch (cause) {
    // Another worker may have been first.
    if (!existsSync(place)) throw cause
  }
  rmSync(data, { recursive: true, force: true })
  return place
}

/** Gives a data directory that has no database an empty one, so that the server in it need not make its own. */
export const prepareDatabase = (dataDirectory: string): void => {
  const folder = process.env[variable]
  const place = join(dataDirectory, "postgres")
  if (folder === undefined || existsSync(place)) return
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  cpSync(databaseIn(folder), place, { recursive: true })
}
