/**
 * Builds the dashboard with Vite into `dashboard/dist`. By default, a missing Vite or an error in the sources fails the command.
 * With `--if-possible`, as during an installation, it succeeds anyway. With `--if-missing`, it builds only if there is no build
 * yet. The module needs no dependency except Vite. The files of the previous build are kept for a day, for pages that were loaded
 * from it.
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

/**
 * Name of the file in a build that lists the files kept from the previous build, and when that was replaced (epoch milliseconds).
 */
const formerFile = "former.json"

const filesOf = (path) => (existsSync(join(path, "assets")) ? readdirSync(join(path, "assets")) : [])

const formerOf = (path) => {
  const file = join(path, formerFile)
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { replacedAt: 0, files: [] }
}

/**
 * Copies the files of the present build that the fresh build lacks into the fresh build, because open pages load their parts on
 * demand. Files that the present build kept from its own predecessor are dropped, unless the fresh build equals the present one.
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
  // Vite builds into a folder beside the served one. Concurrent builds and a starting server must never find an incomplete
  // `dist`.
  const fresh = `dist.${process.pid}`
  const former = `${built}.${process.pid}.old`
  // If `NODE_ENV` were `development` or `test`, Vite would bundle the slower development build of React.
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
 * Runs a build with the arguments of its script. `build` returns false if `tool` is not installed, and `isCurrent` returns
 * whether there is nothing to do. `name` is what the error message says was not built.
 */
export const runBuild = async ({ args, build, isCurrent, name, tool }) => {
  if (args.includes("--if-missing") && isCurrent()) return
  const mayFail = args.includes("--if-possible")
  // When npm packs or publishes, it runs `prepack` before `prepare`: `prepack` has already built it, or has failed.
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
