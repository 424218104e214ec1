/**
 * Keeps the compiled code of the service in its data directory, so that later starts need not compile it.
 *
 * @module
 */
import { existsSync, lstatSync, mkdirSync } from "node:fs"
import * as module from "node:module"
import { join } from "node:path"

const openToOthers = 0o077

/** Whether the environment of a process selects the embedded database, which is the default. */
export const isEmbedded = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  (environment["SVC_STORE"]?.trim() || "embedded") === "embedded"

/** The data directory that the environment of a process selects. */
const dataDirectoryOf = (environment: Readonly<Record<string, string | undefined>>): string =>
  environment["SVC_DATA_DIR"]?.trim() || ".svc"

/** Whether a path is a private directory of the service, which others can neither write nor read. */
const isClosed = (path: string, userId: number | undefined): boolean => {
  const found = lstatSync(path)
  return found.isDirectory() && (found.mode & openToOthers) === 0 && found.uid === userId
}

/**
 * The directory for compiled code; null if the service has no private location. A user who can write to it controls what the
 * service runs, so it must be a directory that others can neither write nor read: an existing one, or that of an embedded
 * database, which is created.
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

/** The data directory of an embedded database, if it belongs to the service or is still to be created; otherwise null. */
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
 * Must be called before the code is imported. Returns a function that writes the code compiled so far. Its first call stops the
 * process for a second, so it must be made before calls are answered. At exit, Node writes the code that was compiled later.
 * Has no effect if `NODE_COMPILE_CACHE` already names another location.
 */
export const keepCompiledCode = (): (() => void) => {
  const directory =
    process.env["NODE_COMPILE_CACHE"] === undefined ? compiledCodeDirectory(process.env) : null
  if (directory === null) return () => undefined
  module.enableCompileCache(directory)
  return () => module.flushCompileCache()
}
