/**
 * Builds the dashboard into `dashboard/dist`, where Vite is installed. Without arguments it fails where Vite is missing or the
 * sources have a mistake; `--if-possible` succeeds then, as an installation must; `--if-missing` builds only where nothing is
 * built. It needs no dependency but Vite.
 *
 * @module
 */
import { existsSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"

const folder = import.meta.dirname
const built = join(folder, "dist")

const hasVite = () => {
  try {
    import.meta.resolve("vite")
    import.meta.resolve("@vitejs/plugin-react")
    return existsSync(new URL(import.meta.resolve("vite")))
  } catch {
    return false
  }
}

/** Whether the dashboard is built. */
export const isBuilt = () => existsSync(join(built, "index.html"))

/** Builds the dashboard; returns false where Vite is not installed. */
export const buildDashboard = async () => {
  if (!hasVite()) return false
  const { build } = await import("vite")
  // Beside the folder that is served, which two builds at a time and a server that starts must find whole.
  const fresh = `dist.${process.pid}`
  const former = `${built}.${process.pid}.old`
  // Otherwise a program in development or under test would build React's slower form.
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = "production"
  try {
    await build({
      configFile: join(folder, "vite.config.ts"),
      logLevel: "warn",
      build: { outDir: fresh, emptyOutDir: true }
    })
    if (existsSync(built)) renameSync(built, former)
    renameSync(join(folder, fresh), built)
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = NODE_ENV
    rmSync(join(folder, fresh), { recursive: true, force: true })
    rmSync(former, { recursive: true, force: true })
  }
  return true
}

const run = async (args) => {
  if (args.includes("--if-missing") && isBuilt()) return
  const mayFail = args.includes("--if-possible")
  try {
    if (!(await buildDashboard()) && !mayFail) {
      throw new Error("Vite is not installed: run npm ci without --omit=dev")
    }
  } catch (error) {
    console.error(`The dashboard was not built: ${error?.message ?? error}`)
    if (!mayFail) process.exitCode = 1
  }
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) await run(process.argv.slice(2))
