/**
 * The programs of the service: in a test run the built ones, as in an installation; elsewhere their sources.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

const root = join(import.meta.dirname, "../..")
const variable = "SVC_TEST_PROGRAMS"

/** Builds the programs for this process and its child processes, unless the build is current. */
export const ensurePrograms = async (): Promise<void> => {
  await promisify(execFile)(process.execPath, [join(root, "runtimes/build.mjs"), "--if-missing"])
  process.env[variable] = "built"
}

/** The path of the program `name`, such as `runtimes/cli/main`. */
export const programOf = (name: string): string =>
  process.env[variable] === "built" ? join(root, `dist/bundle/${name}.js`) : join(root, `${name}.ts`)
