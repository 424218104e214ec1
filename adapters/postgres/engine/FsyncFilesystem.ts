/**
 * Makes PGlite directories, and makes them survive a loss of power: what PostgreSQL syncs is synced to the disk. By default
 * PGlite runs with `fsync` off, and its file system has no such operation.
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

/** An open file: with a descriptor, unless it is a directory. */
interface Stream {
  readonly nfd?: number
  readonly node: unknown
}

/** The parts of PGlite's file system that are used here. */
interface Module {
  readonly NODEFS: {
    readonly realPath: (node: unknown) => string
    readonly stream_ops: { fsync?: (stream: Stream) => number }
  }
}

/** Syncs a file to the disk, or a directory, which makes the names in it durable. */
export const syncPath = (path: string): void => {
  const opened = openSync(path, "r")
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** How many files are synced at a time: the disk writes them together. */
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

/** Syncs a folder with all its contents to the disk. */
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

/** The write-ahead log is synced by the operation above: PGlite's other methods do nothing. */
const logSync = ["-c", "wal_sync_method=fsync"]

/**
 * The memory that PostgreSQL uses for itself, which WebAssembly never gives back. The operating system has the files in
 * its cache, so that a page which is not among the shared buffers is read without the disk.
 */
const memory = ["-c", "shared_buffers=16MB", "-c", "maintenance_work_mem=16MB", "-c", "wal_buffers=1MB"]

/**
 * A statement keeps all others waiting, so that tables are analysed by a tenth of the rows that PostgreSQL reads by default. Plans
 * are generic: they need the number of rows and of different values, and few common ones.
 */
const statistics = ["-c", "default_statistics_target=10"]

/**
 * The directory of a database that is being made. PGlite makes it with a second PostgreSQL, for which it takes this file
 * system for one in memory: so that one writes to the directory too, and not to memory that is copied twice.
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

/** The part that is used here: the types of Node have none. */
declare const WebAssembly: { readonly compile: (module: Uint8Array) => Promise<object> }

const readModule = (): Promise<Buffer> =>
  readFile(join(createRequire(import.meta.url).resolve("@electric-sql/pglite"), "../pglite.wasm"))

/** PostgreSQL, compiled, which otherwise it is while a database is opened. Nothing where its module is elsewhere. */
export const compileModule = (): Promise<PGliteOptions> =>
  readModule()
    .then((module) => WebAssembly.compile(module))
    .then(
      (module) => ({ pgliteWasmModule: module }),
      () => ({})
    )

/** In the imports of PostgreSQL's module: the memory `env.memory` of at least 2,048 pages. */
const memoryImport = Buffer.from("\x03env\x06memory\x02\x01\x80\x10", "latin1")
/** 32 MB. */
const firstPages = 512
const pageBytes = 64 * 1024

/**
 * PostgreSQL with less memory at first. To make a database, PGlite copies that memory as it was before the first program and
 * puts it back before each of them, so that all of it is used, twice. A module without the import is left as it is.
 */
const smallModule = async (): Promise<PGliteOptions> => {
  const module = await readModule().catch(() => Buffer.alloc(0))
  const at = module.indexOf(memoryImport)
  if (at === -1) return {}
  // The number has 7 bits in each of its 2 bytes, the lowest first.
  module[at + memoryImport.length - 1] = firstPages >> 7
  return { pgliteWasmModule: await WebAssembly.compile(module), initialMemory: firstPages * pageBytes }
}

/** Makes a database in a directory that has none. It is durable only once it is closed and the directory is synced. */
export const makeDatabase = async (directory: string): Promise<PGlite> => {
  const made = await PGlite.create({
    ...(await smallModule()),
    fs: new NewFilesystem(directory),
    // Of the programs that make it.
    initDbStartParams: ["-c", "shared_buffers=1MB"]
  })
  // They let the group read it.
  chmodSync(directory, 0o700)
  return made
}

/** Whether a directory has a database. */
export const hasDatabase = (directory: string): boolean => existsSync(join(directory, "PG_VERSION"))

/** Opens the database in a directory. What it commits has reached the disk. `compiled` is of `compileModule`. */
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
