/**
 * Keeps the compiled code of the service in its data directory, so that a later start does not compile it.
 *
 * @module
 */
import { lstatSync, mkdirSync } from "node:fs"
import * as module from "node:module"
import { join } from "node:path"

const openToOthers = 0o077

/** Whether the variables of a process choose the embedded store, as they do by default. */
export const isEmbedded = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  (environment["SVC_STORE"]?.trim() || "embedded") === "embedded"

/**
 * The directory of the compiled code; null where there is no place of the service's own. Whoever can write there decides what
 * the service runs, so it is only a directory that others cannot write or read: one that exists, or that of an embedded store,
 * which is made.
 */
export const compiledCodeDirectory = (
  environment: Readonly<Record<string, string | undefined>>,
  userId: number | undefined = process.geteuid?.()
): string | null => {
  const dataDirectory = environment["SVC_DATA_DIR"]?.trim() || ".svc"
  const directory = join(dataDirectory, "compiled-code")
  const isClosed = (path: string): boolean => {
    const found = lstatSync(path)
    return found.isDirectory() && (found.mode & openToOthers) === 0 && found.uid === userId
  }
  try {
    if (isEmbedded(environment)) {
      mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
    }
    if (!isClosed(dataDirectory)) return null
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return isClosed(directory) ? directory : null
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
  const directory = process.env["NODE_COMPILE_CACHE"] === undefined ? makeDirectory() : null
  if (directory === null) return () => undefined
  module.enableCompileCache(directory)
  return () => module.flushCompileCache()
}

const makeDirectory = (): string | null => {
  // What Node writes is its user's alone.
  process.umask(0o077)
  return compiledCodeDirectory(process.env)
}
