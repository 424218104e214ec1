/**
 * Creates PGlite directories and makes them survive a loss of power: whatever PostgreSQL syncs is synced to the disk. By
 * default PGlite runs with `fsync` off, and its file system does not implement syncing.
 *
 * @module
 */
import { MemoryFS, PGlite, type PGliteOptions } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import { chmodSync, closeSync, existsSync, fsync, fsyncSync, mkdirSync, openSync, readdirSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"

type Prepared = Awaited<ReturnType<NodeFS["init"]>>["emscriptenOpts"]

/** An open file. It has a descriptor, unless it is a directory. */
interface Stream {
  readonly nfd?: number
  readonly node: unknown
}

/** The parts of PGlite's file system used here. */
interface Module {
  readonly NODEFS: {
    readonly realPath: (node: unknown) => string
    readonly stream_ops: { fsync?: (stream: Stream) => number }
  }
}

/** Syncs a file to the disk, or a directory, whose entries then are durable. */
export const syncPath = (path: string): void => {
  const opened = openSync(path, "r")
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** How many files are synced at a time. The disk can write them together. */
const concurrentSyncs = 16

const syncOne = (path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const opened = openSync(path, "r")
    fsync(opened, (error) => {
      closeSync(opened)
      if (error === null) resolve()
      else reject(error)
    })
  })

/** Syncs a folder and all its contents to the disk. */
export const syncFolder = async (path: string): Promise<void> => {
  const paths = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
  const next = async (): Promise<void> => {
    const one = paths.pop()
    if (one === undefined) return
    await syncOne(one)
    return next()
  }
  await Promise.all(Array.from({ length: concurrentSyncs }, next))
  syncPath(path)
}

const syncOf =
  ({ realPath }: Module["NODEFS"]) =>
  ({ nfd, node }: Stream): number => {
    if (nfd === undefined) syncPath(realPath(node))
    else fsyncSync(nfd)
    return 0
  }

class FsyncFilesystem extends NodeFS {
  override async init(...given: Parameters<NodeFS["init"]>): Promise<{ emscriptenOpts: Prepared }> {
    const { emscriptenOpts } = await super.init(...given)
    const preRun = [
      ...(Array.isArray(emscriptenOpts.preRun) ? emscriptenOpts.preRun : []),
      (made: unknown) => {
        const { NODEFS } = made as Module
        NODEFS.stream_ops.fsync = syncOf(NODEFS)
      }
    ]
    return { emscriptenOpts: { ...emscriptenOpts, preRun } }
  }
}

/** PostgreSQL's argument for `fsync = off`. */
const withoutSync = "-F"

/** The write-ahead log is synced with the operation above, because PGlite's other methods have no effect. */
const logSync = ["-c", "wal_sync_method=fsync"]

/**
 * PostgreSQL's own memory, which WebAssembly never returns to the system. The operating system caches the files, so a page
 * that is not in the shared buffers is usually read without accessing the disk.
 */
const memory = ["-c", "shared_buffers=16MB", "-c", "maintenance_work_mem=16MB", "-c", "wal_buffers=1MB"]

/**
 * Every statement blocks all others, so tables are analysed with a tenth of the rows that PostgreSQL reads by default. Plans
 * are generic: they need the number of rows and of distinct values, and few common values.
 */
const statistics = ["-c", "default_statistics_target=10"]

/**
 * The directory of a database that is being created. PGlite creates it with a second PostgreSQL, for which it treats this file
 * system as one in memory. So the second PostgreSQL also writes to the directory, and not to memory that is copied twice.
 */
class NewFilesystem extends MemoryFS {
  readonly #path: string

  constructor(path: string) {
    super(path)
    this.#path = path
    mkdirSync(path, { recursive: true })
  }

  override async init(...given: Parameters<MemoryFS["init"]>): Promise<{ emscriptenOpts: Prepared }> {
    const mounting = new NodeFS(this.#path)
    await super.init(...given)
    return mounting.init(...given)
  }
}

/** The part of the API used here, which is missing from Node's types. */
declare const WebAssembly: { readonly compile: (module: Uint8Array) => Promise<object> }

const readModule = (): Promise<Buffer> =>
  readFile(join(createRequire(import.meta.url).resolve("@electric-sql/pglite"), "../pglite.wasm"))

/** Compiles PostgreSQL's module, which opening a database would otherwise do. Empty if the module is not found. */
export const compileModule = (): Promise<PGliteOptions> =>
  readModule()
    .then((module) => WebAssembly.compile(module))
    .then(
      (module) => ({ pgliteWasmModule: module }),
      () => ({})
    )

/** The import of memory in PostgreSQL's module: `env.memory`, with at least 2,048 pages. */
const memoryImport = Buffer.from("\x03env\x06memory\x02\x01\x80\x10", "latin1")
/** 32 MB, in pages. */
const firstPages = 512
const pageBytes = 64 * 1024

/**
 * PostgreSQL's module with less initial memory. To create a database, PGlite saves a copy of that memory before the first
 * program and restores it before each one, so all of it is in use, twice. A module without the import is not changed.
 */
const smallModule = async (): Promise<PGliteOptions> => {
  const module = await readModule().catch(() => Buffer.alloc(0))
  const at = module.indexOf(memoryImport)
  if (at === -1) return {}
  // The number is encoded in 2 bytes of 7 bits, the lowest first.
  module[at + memoryImport.length - 1] = firstPages >> 7
  return { pgliteWasmModule: await WebAssembly.compile(module), initialMemory: firstPages * pageBytes }
}

/** Creates a database in a directory without one. It is durable only after it is closed and the directory is synced. */
export const makeDatabase = async (directory: string): Promise<PGlite> => {
  const made = await PGlite.create({
    ...(await smallModule()),
    fs: new NewFilesystem(directory),
    // For the programs that create the database.
    initDbStartParams: ["-c", "shared_buffers=1MB"]
  })
  // The programs let the group read the directory.
  chmodSync(directory, 0o700)
  return made
}

/** Whether a directory contains a database. */
export const hasDatabase = (directory: string): boolean => existsSync(join(directory, "PG_VERSION"))

/** Opens the database in a directory. Its commits are durable. `compiled` is the result of `compileModule`. */
export const openDurable = (directory: string, compiled: PGliteOptions = {}): Promise<PGlite> =>
  PGlite.create({
    ...compiled,
    fs: new FsyncFilesystem(directory),
    startParams: [
      ...PGlite.defaultStartParams.filter((argument) => argument !== withoutSync),
      ...logSync,
      ...memory,
      ...statistics
    ]
  })
