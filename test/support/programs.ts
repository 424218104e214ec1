/**
 * The programs of the service: built ones in a test run, as an installation has them; their sources elsewhere.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

const root = join(import.meta.dirname, "../..")
const variable = "SVC_TEST_PROGRAMS"

/** Builds the programs, unless what is built is current, for this process and its child processes. */
export const ensurePrograms = async (): Promise<void> => {
  await promisify(execFile)(process.execPath, [join(root, "runtimes/build.mjs"), "--if-missing"])
  process.env[variable] = "built"
}

/** The path of a program: that of `name` (such as `runtimes/cli/main`). */
export const programOf = (name: string): string =>
  process.env[variable] === "built" ? join(root, `dist/bundle/${name}.js`) : join(root, `${name}.ts`)
