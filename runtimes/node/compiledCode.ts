/**
 * Keeps the compiled code of the service in its data directory, so that a later start does not compile it.
 *
 * @module
 */
import { existsSync, lstatSync, mkdirSync } from "node:fs"
import * as module from "node:module"
import { join } from "node:path"

const openToOthers = 0o077

/** Whether the variables of a process choose the embedded store, as they do by default. */
export const isEmbedded = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  (environment["SVC_STORE"]?.trim() || "embedded") === "embedded"

/** The data directory that the variables of a process name. */
const dataDirectoryOf = (environment: Readonly<Record<string, string | undefined>>): string =>
  environment["SVC_DATA_DIR"]?.trim() || ".svc"

/** Whether a path is a directory of the service's own, which others cannot write or read. */
const isClosed = (path: string, userId: number | undefined): boolean => {
  const found = lstatSync(path)
  return found.isDirectory() && (found.mode & openToOthers) === 0 && found.uid === userId
}

/**
 * The directory of the compiled code; null where there is no place of the service's own. Whoever can write there decides what
 * the service runs, so it is only a directory that others cannot write or read: one that exists, or that of an embedded store,
 * which is made.
 */
export const compiledCodeDirectory = (
  environment: Readonly<Record<string, string | undefined>>,
  userId: number | undefined = process.geteuid?.()
): string | null => {
  const dataDirectory = dataDirectoryOf(environment)
  const directory = join(dataDirectory, "compiled-code")
  try {
    if (isEmbedded(environment)) {
      mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
    }
    if (!isClosed(dataDirectory, userId)) return null
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return isClosed(directory, userId) ? directory : null
  } catch {
    return null
  }
}

/** The data directory of an embedded store that is the service's own, or is still to be made; null otherwise. */
export const embeddedDirectory = (
  environment: Readonly<Record<string, string | undefined>>,
  userId: number | undefined = process.geteuid?.()
): string | null => {
  if (!isEmbedded(environment)) return null
  const directory = dataDirectoryOf(environment)
  try {
    return !existsSync(directory) || isClosed(directory, userId) ? directory : null
  } catch {
    return null
  }
}

/**
 * Must be called before the code is imported. Returns what writes the code compiled so far: the first time that stops the
 * process for a second, so that it must be called before calls are answered. At its end, Node writes what it compiled later.
 * Does nothing where `NODE_COMPILE_CACHE` names another place already.
 */
export const keepCompiledCode = (): (() => void) => {
  const directory =
    process.env["NODE_COMPILE_CACHE"] === undefined ? compiledCodeDirectory(process.env) : null
  if (directory === null) return () => undefined
  module.enableCompileCache(directory)
  return () => module.flushCompileCache()
}
