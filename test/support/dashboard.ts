/**
 * Builds the dashboard for tests if the build is missing or older than the sources.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { existsSync, globSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("../..", import.meta.url))
const index = join(root, "dashboard/dist/index.html")

const sources = ["dashboard/src/**/*", "dashboard/index.html", "dashboard/vite.config.ts", "package.json"]

const isCurrent = (): boolean => {
  if (!existsSync(index)) return false
  const built = statSync(index).mtimeMs
  return globSync(sources, { cwd: root }).every((file) => statSync(join(root, file)).mtimeMs <= built)
}

/** Builds the dashboard, unless the build is current. */
export const ensureDashboard = async (): Promise<void> => {
  if (!isCurrent()) await promisify(execFile)(process.execPath, [join(root, "dashboard/build.mjs")])
}
