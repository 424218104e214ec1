/**
 * Reads the version of this package.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The nearest package.json above this file. Its distance differs between sources and build. */
const packageFile = (directory: string): string => {
  const path = join(directory, "package.json")
  return existsSync(path) || dirname(directory) === directory ? path : packageFile(dirname(directory))
}

/** The version, such as `1.2.3`. */
export const version = (
  JSON.parse(readFileSync(packageFile(dirname(fileURLToPath(import.meta.url))), "utf8")) as {
    readonly version: string
  }
).version
