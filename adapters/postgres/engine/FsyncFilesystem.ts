/**
 * Makes a PGlite directory survive a loss of power: what PostgreSQL syncs is synced to the disk. By default PGlite
 * runs with `fsync` off, and its file system has no such operation.
 *
 * @module
 */
import { PGlite } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import { closeSync, fsyncSync, openSync, readdirSync } from "node:fs"
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

/** Syncs a folder with all its contents to the disk. */
export const syncFolder = (path: string): void => {
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) syncPath(join(entry.parentPath, entry.name))
  }
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

/** Opens the database in a directory, created if there is none. What it commits has reached the disk. */
export const openDurable = (directory: string): Promise<PGlite> =>
  PGlite.create({
    fs: new FsyncFilesystem(directory),
    startParams: [
      ...PGlite.defaultStartParams.filter((argument) => argument !== withoutSync),
      ...logSync,
      ...memory
    ]
  })
