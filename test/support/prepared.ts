/**
 * Shares compiled code and empty databases, embedded ones and dumps for those in memory, among the processes of a test run.
 * Outside a test run, each process makes its own.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync
} from "node:fs"
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { shareDumps } from "../../adapters/postgres/prepared/MemoryDump.ts"
import { ensurePrograms, programOf } from "./programs.ts"

const variable = "SVC_TEST_PREPARED"
const root = join(import.meta.dirname, "../..")
const migrateMillis = 120_000

/** A file system in memory, and the free space that it must have, in bytes. An embedded database takes 50 MB. */
const inMemory = { path: "/dev/shm", least: 4 * 1024 ** 3 }

/** Whether the file system in memory can be used, including for running programs. */
const hasMemory = (): boolean => {
  try {
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .find(([, path]) => path === inMemory.path)
    const { bavail, bsize } = statfsSync(inMemory.path)
    return mount?.[2] === "tmpfs" && !/\bnoexec\b/.test(mount[3] ?? "") && bavail * bsize >= inMemory.least
  } catch {
    return false
  }
}

/**
 * The folder for temporary data of the service. In a test run, it is in memory if possible: the embedded database syncs each
 * transaction to the disk, which takes as long as everything else it does for a call. Files in memory also outlive a killed
 * process.
 */
export const dataFolder = (): string => {
  const shared = process.env[variable]
  return shared === undefined ? tmpdir() : dirname(shared)
}

/** Prepares this process and its child processes for sharing. The returned function removes what they shared. */
export const share = async (): Promise<() => Promise<void>> => {
  const folder = await mkdtemp(join(hasMemory() ? inMemory.path : tmpdir(), "svc-prepared-"))
  process.env[variable] = folder
  process.env["NODE_COMPILE_CACHE"] = join(folder, "code")
  await ensurePrograms()
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3 })
}

/** The environment variables of a process that shares compiled code. */
export const sharedCode = (): Readonly<Record<string, string>> => {
  const cache = process.env["NODE_COMPILE_CACHE"]
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }
}

/** Makes an empty database with the current schema by `svc migrate`, once per run. Returns its path. */
const databaseIn = (folder: string): string => {
  const path = join(folder, "postgres")
  if (existsSync(path)) return path
  const data = mkdtempSync(join(folder, "data-"))
  const migrated = spawnSync(
    join(root, "node_modules/.bin/node"),
    [programOf("runtimes/cli/main"), "migrate"],
    {
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], SVC_DATA_DIR: data, ...sharedCode() },
      encoding: "utf8",
      timeout: migrateMillis
    }
  )
  if (migrated.status !== 0) throw new Error(`svc migrate ended with ${migrated.status}: ${migrated.stderr}`)
  try {
    renameSync(join(data, "postgres"), path)
  } catch (cause) {
    // Another test worker may have made it first.
    if (!existsSync(path)) throw cause
  }
  rmSync(data, { recursive: true, force: true })
  return path
}

/** Copies the empty database into a data directory without one, so that its server need not make it. */
export const prepareDatabase = (dataDirectory: string): void => {
  const folder = process.env[variable]
  const path = join(dataDirectory, "postgres")
  if (folder === undefined || existsSync(path)) return
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  cpSync(databaseIn(folder), path, { recursive: true })
}

/** Makes databases in memory start from a dump that the first of them creates for all processes. */
export const shareDump = (): void => {
  const folder = process.env[variable]
  if (folder === undefined) return
  const path = join(folder, "memory.tar")
  shareDumps({
    load: async () => (existsSync(path) ? new Blob([await readFile(path)]) : null),
    save: async (dump) => {
      const part = `${path}.${process.pid}`
      await writeFile(part, Buffer.from(await dump.arrayBuffer()))
      await rename(part, path)
    }
  })
}
