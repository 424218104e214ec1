/**
 * Tests the files shown in testing.md with each test runner: they pass unchanged, and a file that fails before it closes the
 * service still ends.
 *
 * @module
 */
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { blockWith } from "../docs/blocks.ts"
import { root, run } from "../package/tarball.ts"

/** Replaces imports of the package by imports of the sources. */
const fromSources = (code: string): string =>
  code
    .replaceAll('"svc/client"', JSON.stringify(pathToFileURL(join(root, "client/index.ts")).href))
    .replaceAll(
      '"svc/embedded"',
      JSON.stringify(pathToFileURL(join(root, "runtimes/embedded/index.ts")).href)
    )

/** A file whose test fails while its service runs and is never closed. */
const failing = (code: string): string =>
  code
    .replace("await using service", "const service")
    .replace("await service.", 'throw new Error("on purpose")\n  await service.')

/** With time for a loaded machine. */
const runners = [
  {
    name: "vitest",
    from: '"vitest"',
    program: "vitest",
    args: ["run", "--root", ".", "--testTimeout", "60000", "file.test.ts"]
  },
  { name: "node --test", from: '"node:test"', program: "node", args: ["--test", "file.test.ts"] },
  {
    name: "bun test",
    from: '"bun:test"',
    program: "bun",
    args: ["test", "--timeout", "60000", "./file.test.ts"]
  }
]

describe.each(runners)("with $name", ({ args, from, program }) => {
  let folder: string
  const code = fromSources(blockWith("testing", "ts", from))
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "svc-runner-"))
    await symlink(join(root, "node_modules"), join(folder, "node_modules"))
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const runs = async (source: string) => {
    await writeFile(join(folder, "file.test.ts"), source)
    return run(folder, program, args)
  }

  it("the file of the page passes, and one that fails ends", { timeout: 240_000 }, async () => {
    const passed = await runs(code)
    expect([passed.code, passed.out + passed.err]).toEqual([
      0,
      expect.stringMatching(/1 pass|pass 1|1 passed/)
    ])
    // A process that did not end would be killed and have no exit code.
    const failed = await runs(failing(code))
    expect([failed.code, failed.out + failed.err]).toEqual([1, expect.stringContaining("on purpose")])
  })
})
