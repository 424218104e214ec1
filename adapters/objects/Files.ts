/**
 * Stores objects as files in a directory. A file is written under a temporary name, flushed to the disk and then renamed, so a
 * file with an object's name is complete even after a power failure. Only the user of the process can read the files. A marker
 * file identifies the directory: if its file system is not mounted, there is no marker, and nothing is read or written.
 *
 * @module
 */
import { Data, Effect, Layer, Semaphore } from "effect"
import { access, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { ObjectName, StoredObject } from "../../core/model/Content.ts"
import { ObjectStorage } from "../../core/ports/ObjectStorage.ts"
import { Unavailable } from "../../core/shared/Problem.ts"
import { fileOf, folderOf, keyOf, nameOfFile } from "./ObjectKeys.ts"

/** The maximum number of files that are read or written at the same time. */
const maxOpen = 16

const partial = ".partial"

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")

/** Makes the entries of a directory, the names of its files, durable. */
const syncDirectory = async (path: string): Promise<void> => {
  const directory = await open(path, "r")
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Creates a directory and missing parent directories, durably. */
const makeDirectory = async (path: string): Promise<void> => {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  const parents: Array<string> = []
  for (let made = path; made.length >= first.length; made = dirname(made)) parents.push(dirname(made))
  await Promise.all(parents.map(syncDirectory))
}

const write = async (root: string, { bytes, name }: StoredObject): Promise<void> => {
  const folder = join(root, folderOf(name))
  await makeDirectory(folder)
  const path = join(folder, fileOf(name))
  const file = await open(path + partial, "w", 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(path + partial, path)
  await syncDirectory(folder)
}

const read = async (root: string, name: ObjectName): Promise<Uint8Array | null> => {
  try {
    return await readFile(join(root, keyOf(name)))
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

const remove = async (root: string, name: ObjectName): Promise<void> => {
  const path = join(root, keyOf(name))
  await rm(path + partial, { force: true })
  await rm(path, { force: true })
}

const entriesOf = async (path: string): Promise<ReadonlyArray<string>> => {
  try {
    return (await readdir(path)).toSorted()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

const list = async (
  root: string,
  accountId: string,
  after: ObjectName | null,
  limit: number
): Promise<ReadonlyArray<ObjectName>> => {
  const start = after === null ? "" : fileOf(after)
  const folders = (await entriesOf(join(root, accountId))).filter((folder) => folder >= start.slice(0, 2))
  const inFolders = async (index: number, left: number): Promise<ReadonlyArray<ObjectName>> => {
    const folder = folders[index]
    if (folder === undefined || left <= 0) return []
    const entries = await entriesOf(join(root, accountId, folder))
    const files = new Set(entries.map((entry) => entry.replace(/\.partial$/, "")))
    const names = [...files].toSorted().flatMap((file) => {
      const name = file > start ? nameOfFile(accountId, file) : null
      return name === null ? [] : [name]
    })
    return [...names, ...(await inFolders(index + 1, left - names.length))]
  }
  return (await inFolders(0, limit)).slice(0, limit)
}

const mark = ".svc-content"

/** Whether the directory is the one in which content was stored before. */
export const isMarked = async (directory: string): Promise<boolean> => {
  try {
    await access(join(directory, mark))
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** The directory is not the one in which content was stored. */
export class DirectoryUnmarked extends Data.TaggedError("DirectoryUnmarked")<{ readonly directory: string }> {
  override get message(): string {
    return (
      `The content of emails or images was stored outside the database, and ${this.directory} has none: mount or restore ` +
      `what SVC_OBJECT_STORAGE names. Where the content is lost, make the file ${mark} there, and start again`
    )
  }
}

const accountFolder = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Marks the directory at a start, so that content is read and written there. A directory with content from before there were
 * markers is marked too.
 *
 * @param hasContent whether content has been stored outside the database. If so, a directory without content is not marked
 */
export const markDirectory = (
  directory: string,
  hasContent: boolean
): Effect.Effect<void, DirectoryUnmarked | Unavailable> =>
  Effect.tryPromise({
    try: async () => {
      if (await isMarked(directory)) return
      const isEmpty = !(await entriesOf(directory)).some((entry) => accountFolder.test(entry))
      if (hasContent && isEmpty) throw new DirectoryUnmarked({ directory })
      await makeDirectory(directory)
      await (await open(join(directory, mark), "a", 0o600)).close()
      await syncDirectory(directory)
    },
    catch: (cause) => (cause instanceof DirectoryUnmarked ? cause : new Unavailable({ cause }))
  })

/** The port over a marked directory. */
export const layer = (directory: string): Layer.Layer<ObjectStorage> =>
  Layer.sync(ObjectStorage, () => {
    const places = Semaphore.makeUnsafe(maxOpen)
    const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, Unavailable> =>
      places.withPermit(
        Effect.tryPromise({
          try: async () => {
            if (!(await isMarked(directory))) throw new DirectoryUnmarked({ directory })
            return run()
          },
          catch: (cause) => new Unavailable({ cause })
        })
      )
    const each = <A, B>(all: ReadonlyArray<A>, run: (one: A) => Promise<B>) =>
      Effect.forEach(all, (one) => attempt(() => run(one)), { concurrency: maxOpen })
    return ObjectStorage.of({
      place: "Files",
      put: (objects) => Effect.asVoid(each(objects, (one) => write(directory, one))),
      get: (names) => each(names, (name) => read(directory, name)),
      remove: (names) => Effect.asVoid(each(names, (name) => remove(directory, name))),
      list: (accountId, after, limit) => attempt(() => list(directory, accountId, after, limit))
    })
  })
