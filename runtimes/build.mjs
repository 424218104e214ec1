/**
 * Builds the programs of the service into `dist/bundle`: each program's sources and packages in a few files, which start in
 * little more than half the time of 1,900 files, and the database with which a first start begins. Without arguments it fails
 * if Rolldown is missing. With `--if-possible` it then succeeds, which an installation needs. With `--if-missing` it builds
 * only if the built files are missing or older than the sources. Its only dependency is Rolldown.
 *
 * @module
 */
import { execFile } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { runBuild } from "../dashboard/build.mjs"

const root = join(import.meta.dirname, "..")
const built = join(root, "dist/bundle")
const rooms = ["core", "adapters", "runtimes"]

/** The programs of processes and threads. */
const programs = [
  "runtimes/node/main",
  "runtimes/bun/main",
  "runtimes/cli/main",
  "adapters/postgres/engine/PgliteThread",
  "adapters/threads/ThreadMain"
]

/** Packages that load files of their own by path, and modules of the runtimes. */
const external = [/^@electric-sql\/pglite/, /^bun:/, "pg-native"]

/** Matches the placeholder for a module's URL, which is used until the location of its chunk is known. */
const urlOf = /__url_of__\("([^"]+)"\)/g

const sources = () => globSync(`{${rooms.join(",")}}/**/*.ts`, { cwd: root })

/** The path from one file of the build to another. */
const pathFrom = (file, target) => {
  const path = relative(dirname(file), target)
  return path.startsWith(".") ? path : `./${path}`
}

/** Preserves the URLs of modules, with which threads load them and from which they search for files in parent folders. */
const ownUrls = {
  name: "own-urls",
  transform: (code, id) => {
    const path = relative(root, id)
    if (!rooms.some((room) => path.startsWith(`${room}/`))) return null
    return code.replaceAll("import.meta.url", `__url_of__("${path.replace(/\.ts$/, ".js")}")`)
  },
  renderChunk: (code, { fileName }) =>
    code.replaceAll(urlOf, (_, path) => `new URL("${pathFrom(fileName, path)}", import.meta.url).href`)
}

const hasRolldown = () => {
  try {
    return existsSync(new URL(import.meta.resolve("rolldown")))
  } catch {
    return false
  }
}

/** Whether a file is newer than the packages and the sources, or than those whose paths begin with `begin`. */
const isCurrent = (file, begin = "") => {
  if (!existsSync(file)) return false
  const { mtimeMs } = statSync(file)
  return [...sources().filter((path) => path.startsWith(begin)), "package-lock.json"].every(
    (path) => !existsSync(join(root, path)) || statSync(join(root, path)).mtimeMs <= mtimeMs
  )
}

/** Whether the programs are built from the current sources and packages. */
export const isBuilt = () => isCurrent(join(built, `${programs[0]}.js`))

/** The database with which a first start begins. `PreparedDatabase.ts` describes its format. */
const databaseOf = (folder) => join(folder, "adapters/postgres/prepared/database.gz")

/** Packs the empty database that the programs built in `folder` create, or copies the previous one if the schema is the same. */
const makeDatabase = async (folder) => {
  if (isCurrent(databaseOf(built), "adapters/postgres/"))
    return copyFileSync(databaseOf(built), databaseOf(folder))
  const data = mkdtempSync(join(tmpdir(), "svc-build-"))
  try {
    const env = { PATH: process.env.PATH, SVC_DATA_DIR: data }
    await promisify(execFile)(process.execPath, [join(folder, "runtimes/cli/main.js"), "migrate"], { env })
    const path = join(data, "postgres")
    const entries = readdirSync(path, { recursive: true, withFileTypes: true })
    const pathsOf = (found) =>
      found.map((entry) => relative(path, join(entry.parentPath, entry.name))).toSorted()
    const folders = pathsOf(entries.filter((entry) => entry.isDirectory()))
    const files = pathsOf(entries.filter((entry) => entry.isFile())).map((name) => [
      name,
      readFileSync(join(path, name))
    ])
    const contents = JSON.stringify({ folders, files: files.map(([name, bytes]) => [name, bytes.length]) })
    const packed = Buffer.concat([Buffer.from(`${contents}\n`), ...files.map(([, bytes]) => bytes)])
    writeFileSync(databaseOf(folder), gzipSync(packed))
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

/** Builds the programs. Returns false if Rolldown is not installed. */
export const buildPrograms = async () => {
  if (!hasRolldown()) return false
  const { rolldown } = await import("rolldown")
  // Built beside the final folder, which must always be complete for other builds and for processes that start.
  const fresh = `${built}.${process.pid}`
  const former = `${fresh}.old`
  // A module that threads load by URL needs a file of its own.
  const modules = sources().filter((path) =>
    readFileSync(join(root, path), "utf8").includes("import.meta.url")
  )
  const entries = [...programs, ...modules.map((path) => path.slice(0, -".ts".length))]
  try {
    const bundle = await rolldown({
      cwd: root,
      input: Object.fromEntries(entries.map((entry) => [entry, join(root, `${entry}.ts`)])),
      platform: "node",
      tsconfig: false,
      external,
      plugins: [ownUrls],
      // Otherwise statements that may throw are removed, such as decodeURIComponent(text) in a try.
      treeshake: false,
      logLevel: "warn"
    })
    await bundle.write({
      dir: fresh,
      chunkFileNames: "chunks/[name]-[hash].js",
      minify: false,
      // A start reads all of it, and comments were a third.
      comments: { legal: true, jsdoc: false, annotation: false }
    })
    await bundle.close()
    await makeDatabase(fresh)
    if (existsSync(built)) renameSync(built, former)
    renameSync(fresh, built)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
    rmSync(former, { recursive: true, force: true })
  }
  return true
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  const args = process.argv.slice(2)
  await runBuild({
    args,
    build: buildPrograms,
    isCurrent: isBuilt,
    name: "The programs were",
    tool: "Rolldown"
  })
}
