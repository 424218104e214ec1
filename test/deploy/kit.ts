/**
 * Reads the self-hosting kit.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** The project's folder. */
export const root = join(import.meta.dirname, "../..")

/** A file of the project. */
export const fileOf = (path: string): string => readFileSync(join(root, path), "utf8")

/** Every variable that the service reads, from the module that reads them. */
export const knownVariables: ReadonlySet<string> = new Set(
  [...fileOf("runtimes/config/config.ts").matchAll(/"(SVC_[A-Z_]+)"/g)].map(([, name]) => name!)
)

/** The service's variables in a string. */
export const variablesIn = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(/SVC_[A-Z]+(?:_[A-Z]+)*/g)].map(([name]) => name))
]

/** The output of a program of this machine. Throws if it fails. */
export const outputOf = (program: string, args: ReadonlyArray<string>, folder = root): string =>
  execFileSync(program, args, { cwd: folder, encoding: "utf8", stdio: "pipe" })

/** Why a program's tests are skipped; null if it is installed on this machine. */
export const missing = (program: string, ...args: ReadonlyArray<string>): string | null => {
  try {
    execFileSync(program, args, { stdio: "ignore" })
    return null
  } catch {
    return `${program} is not on this machine`
  }
}
