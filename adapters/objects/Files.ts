/**
 * Objects as files of a directory. A file is written under another name, flushed to the disk and then renamed, so that one
 * with the name of an object is whole, also after a power failure. Only the user of the process may read them.
 *
 * @module
 */
import { Effect, Layer, Semaphore } from "effect"
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { ObjectName, StoredObject } from "../../core/model/Content.ts"
import { ObjectStorage } from "../../core/ports/ObjectStorage.ts"
import { Unavailable } from "../../core/shared/Problem.ts"
import { fileOf, folderOf, keyOf, nameOfFile } from "./ObjectKeys.ts"

/** The most files that are read or written at the same time. */
const maxOpen = 16

const partial = ".partial"

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")

/** Makes the entries of a directory durable: the names of its files. */
const syncDirectory = async (path: string): Promise<void> => {
  const directory = await open(path, "r")
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Makes a directory, and the directories above it that are missing, durably. */
const makeDirectory = async (path: string): Promise<void> => {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made))
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
  const found = new Map<string, ObjectName>()
  const start = after === null ? "" : fileOf(after)
  for (const folder of await entriesOf(join(root, accountId))) {
    if (folder < start.slice(0, 2)) continue
    for (const entry of await entriesOf(join(root, accountId, folder))) {
      const file = entry.endsWith(partial) ? entry.slice(0, -partial.length) : entry
      const name = file > start ? nameOfFile(accountId, file) : null
      if (name !== null) found.set(file, name)
    }
    // A folder is read as a whole, so that its order is that of the names.
    if (found.size >= limit) break
  }
  return [...found.values()].slice(0, limit)
}

/** The port over a directory, which is made where it is missing. */
export const layer = (directory: string): Layer.Layer<ObjectStorage> =>
  Layer.sync(ObjectStorage, () => {
    const places = Semaphore.makeUnsafe(maxOpen)
    const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, Unavailable> =>
      places.withPermit(Effect.tryPromise({ try: run, catch: (cause) => new Unavailable({ cause }) }))
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
