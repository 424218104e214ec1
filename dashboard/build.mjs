/**
 * Builds the dashboard into `dashboard/dist`, where Vite is installed. Without arguments it fails where Vite is missing or the
 * sources have a mistake; `--if-possible` succeeds then, as an installation must; `--if-missing` builds only where nothing is
 * built. It needs no dependency but Vite. The files of the build before stay for a day, for pages that were loaded from it.
 *
 * @module
 */
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
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

/** Says which files of a build are those of the build before, and when they were replaced (epoch milliseconds). */
const formerFile = "former.json"

const filesOf = (path) => (existsSync(join(path, "assets")) ? readdirSync(join(path, "assets")) : [])

const formerOf = (path) => {
  const file = join(path, formerFile)
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { replacedAt: 0, files: [] }
}

/**
 * Copies files of the present build, which the fresh one does not have, into the fresh one: pages that are open load their parts
 * when they need them. Those of the build before the present one are left out, unless the fresh one equals the present one.
 */
export const keepFormer = (present, fresh, now) => {
  const before = formerOf(present)
  const made = new Set(filesOf(fresh))
  const missing = filesOf(present).filter((name) => !made.has(name))
  const own = missing.filter((name) => !before.files.includes(name))
  const former = own.length > 0 ? { replacedAt: now, files: own } : { ...before, files: missing }
  for (const name of former.files) copyFileSync(join(present, "assets", name), join(fresh, "assets", name))
  writeFileSync(join(fresh, formerFile), JSON.stringify(former))
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
    keepFormer(built, join(folder, fresh), Date.now())
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

/**
 * Runs a build with the arguments of its script: `build` returns false where `tool` is not installed, and `isCurrent` says
 * whether there is nothing to do. What failed is called `name`.
 */
export const runBuild = async ({ args, build, isCurrent, name, tool }) => {
  if (args.includes("--if-missing") && isCurrent()) return
  const mayFail = args.includes("--if-possible")
  // Of a package that is made, npm runs `prepack` and then `prepare`: the first built it, or failed.
  if (mayFail && ["pack", "publish"].includes(process.env.npm_command)) return
  try {
    if (!(await build()) && !mayFail) {
      throw new Error(`${tool} is not installed: run npm ci without --omit=dev`)
    }
  } catch (error) {
    console.error(`${name} not built: ${error?.message ?? error}`)
    if (!mayFail) process.exitCode = 1
  }
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  const args = process.argv.slice(2)
  await runBuild({ args, build: buildDashboard, isCurrent: isBuilt, name: "The dashboard was", tool: "Vite" })
}
