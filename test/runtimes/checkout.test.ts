/**
 * Tests that `npm start` in a checkout says what is missing, and that an installation without development dependencies is
 * complete.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises"
import { isBuiltin } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { filesOf, specifiersOf } from "../architecture/imports.ts"

const root = join(import.meta.dirname, "../..")
const read = (path: string) => readFile(join(root, path), "utf8")

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

/** The package of an import specifier: `highlight.js` for `highlight.js/lib/core`. */
const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

describe("npm start of a checkout", () => {
  let folder = ""
  let command = ""
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "svc-checkout-"))
    const { scripts } = JSON.parse(await read("package.json")) as Manifest
    command = scripts["start"]!
    await Promise.all(["runtimes", "dashboard"].map((name) => mkdir(join(folder, name))))
    for (const path of [
      "dashboard/build.mjs",
      "runtimes/build.mjs",
      "runtimes/start.mjs",
      "runtimes/node",
      "runtimes/server",
      "adapters",
      "core"
    ]) {
      await cp(join(root, path), join(folder, path), { recursive: true })
    }
  })
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))

  /** The output of the script before it fails, with further options of Node. */
  const failure = async (...options: ReadonlyArray<string>) => {
    const [program = "", ...rest] = command.split(" ")
    expect(program).toBe("node")
    const node = join(root, "node_modules/.bin/node")
    return promisify(execFile)(node, [...options, ...rest], { cwd: folder }).then(
      () => ({ code: 0, stderr: "" }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr })
    )
  }

  it("names the command that installs what is missing", async () => {
    const { code, stderr } = await failure()
    expect(code).toBe(1)
    expect(stderr).toMatch(/^svc: The package \S+ is not installed: run npm ci --omit=dev first\n$/)
  })

  it("names the version of Node that is needed", async () => {
    const older = `data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.9.0"}})`
    const { code, stderr } = await failure("--import", older)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^svc: A checkout needs Node 22\.18 or newer, and this is Node 20\.9\.0: .*npm ci/)
  })

  it("needs no package that is for development", async () => {
    const { dependencies, peerDependencies } = JSON.parse(await read("package.json")) as Manifest
    const imported = new Set<string>()
    for (const path of ["core", "adapters", "runtimes", "client"].flatMap(filesOf)) {
      for (const specifier of specifiersOf(path, await read(path))) {
        if (!specifier.startsWith(".") && !isBuiltin(specifier) && specifier !== "bun")
          imported.add(packageOf(specifier))
      }
    }
    expect(imported.size).toBeGreaterThan(10)
    expect([...imported].filter((name) => !(name in { ...dependencies, ...peerDependencies }))).toEqual([])
  })
})
