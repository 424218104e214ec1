/**
 * Packs the package from a copy of the sources, as it would be published, and installs it into an empty project.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

const binaries = join(root, "node_modules/.bin")

/** The variables with which npm reaches the registry; no others are passed on. */
const reachOfNpm =
  /^(npm_config_(registry|userconfig|cache|cafile|proxy|https_proxy|noproxy)|(https?|no)_proxy|NODE_EXTRA_CA_CERTS)$/i

const surroundings = (): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => reachOfNpm.test(name)))

/** The output and exit code of a command. */
export interface Finished {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a program of the repository's `node_modules/.bin`, or of the path, in a folder. */
export const run = (
  folder: string,
  program: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Promise<Finished> =>
  new Promise((resolve) => {
    const options = {
      cwd: folder,
      env: {
        ...surroundings(),
        PATH: `${binaries}:${process.env["PATH"]}`,
        HOME: process.env["HOME"],
        NO_COLOR: "1",
        ...env
      },
      maxBuffer: 64 * 1024 * 1024,
      timeout: 300_000
    }
    execFile(program, args, options, (error, out, err) => {
      resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, out, err })
    })
  })

/** Runs a program. Throws if it fails. */
export const succeed = async (...args: Parameters<typeof run>): Promise<string> => {
  const { code, err, out } = await run(...args)
  if (code !== 0) throw new Error(`${args[1]} ${args[2].join(" ")} ended with ${code}.\n${out}\n${err}`)
  return out
}

/** The sources of the package. */
const sources = [
  "core",
  "adapters",
  "runtimes",
  "client",
  "dashboard",
  "test/contract",
  "docs",
  "examples",
  "README.md",
  "LICENSE"
]
const settings = ["CHANGELOG.md", "package.json", "tsconfig.base.json"]

/** Makes a temporary folder. */
export const freshFolder = async (): Promise<{ path: string; remove: () => Promise<void> }> => {
  const path = await mkdtemp(join(tmpdir(), "svc-package-"))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) }
}

/** Packs a copy of the sources in `folder` and returns the tarball's path. */
export const pack = async (folder: string): Promise<string> => {
  for (const path of [...sources, ...settings]) {
    await cp(join(root, path), join(folder, path), { recursive: true })
  }
  await symlink(join(root, "node_modules"), join(folder, "node_modules"))
  await succeed(folder, "npm", ["pack", "--silent"])
  const tarball = (await readdir(folder)).find((file) => file.endsWith(".tgz"))
  if (tarball === undefined) throw new Error("npm packed nothing.")
  return join(folder, tarball)
}

const unreachable =
  /\b(ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|ENOTCACHED|E5\d\d)\b/

/**
 * Installs the tarball with the peer dependencies for embedding and for the contract suites. Returns null, or why it
 * cannot be installed: the registry is unreachable, and the cache is incomplete.
 */
export const install = async (project: string, tarball: string): Promise<string | null> => {
  const { devDependencies, peerDependencies } = JSON.parse(
    await readFile(join(root, "package.json"), "utf8")
  ) as {
    readonly devDependencies: Readonly<Record<string, string>>
    readonly peerDependencies: Readonly<Record<string, string>>
  }
  const peerPackages = ["effect", "@effect/vitest", "fast-check", "vitest"].map(
    (name) => `${name}@${peerDependencies[name] ?? devDependencies[name]}`
  )
  await writeFile(
    join(project, "package.json"),
    JSON.stringify({ name: "project", private: true, type: "module" })
  )
  const quick = ["--prefer-offline", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=20000"]
  const { code, err, out } = await run(project, "npm", [
    "install",
    "--loglevel=error",
    ...quick,
    tarball,
    ...peerPackages
  ])
  if (code === 0) return null
  const reason = unreachable.exec(err)?.[0]
  if (reason === undefined) throw new Error(`npm install ended with ${code}.\n${out}\n${err}`)
  return `The package cannot be installed here: the registry answered ${reason}.`
}
