/**
 * Tests that the data directory and everything the service writes is readable and writable only for its user.
 *
 * @module
 */
import { chmod, lstat, mkdir, readdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { runCli } from "../support/cli.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"

const { folder, start, stop } = useServers({ fresh: true })

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

/** The files and directories below a path that the group or others may read or write. */
const openTo = async (path: string): Promise<ReadonlyArray<string>> => {
  const names = await readdir(path, { recursive: true })
  const modes = await Promise.all(
    names.map(async (name) => [name, (await lstat(join(path, name))).mode] as const)
  )
  expect(modes.length).toBeGreaterThan(100)
  // PGlite may create its cache of the catalogue again at any time; the directory above it is closed.
  return modes.flatMap(([name, mode]) =>
    (mode & 0o077) === 0 || name.endsWith("pg_internal.init") ? [] : [name]
  )
}

describe.each<Runtime>(["node", "bun"])("the data directory, on %s", { timeout: 240_000 }, (runtime) => {
  it("and all files are made for their user alone, and closed again at the next start", async () => {
    const directory = join(folder(), "made", "data")
    const env = { SVC_STORE: "embedded", SVC_DATA_DIR: directory }
    const first = start(runtime, env)
    await first.ready()
    expect(await modeOf(directory)).toBe(0o700)
    expect(await openTo(directory)).toEqual([])
    await stop(first)
    // As an earlier version left it.
    const version = join(directory, "postgres", "PG_VERSION")
    for (const [path, mode] of [
      [directory, 0o755],
      [version, 0o666]
    ] as const)
      await chmod(path, mode)
    const second = start(runtime, env)
    await second.ready()
    expect([await modeOf(directory), await modeOf(version)]).toEqual([0o700, 0o600])
    expect(await openTo(directory)).toEqual([])
    await stop(second)
  })

  it("is refused in one line, with the remedy, where it is open and holds other things", async () => {
    const directory = join(folder(), "shared")
    await mkdir(directory)
    await writeFile(join(directory, "notes"), "not the service's")
    for (const mode of runtime === "node" ? [0o750, 0o702] : [0o720]) {
      await chmod(directory, mode)
      const env = { SVC_STORE: "embedded", SVC_DATA_DIR: directory }
      const server = start(runtime, env)
      expect((await server.ended).code).toBe(1)
      expect(server.err().trim().split("\n")).toEqual([
        `The data directory ${directory} is open to its group or others (0${mode.toString(8)}): chmod 700 ${directory}, ` +
          "or set SVC_DATA_DIR to a directory of its own"
      ])
      expect([await modeOf(directory), await readdir(directory)]).toEqual([mode, ["notes"]])
    }
    const migrated = await runCli(runtime, folder(), ["migrate"], {
      SVC_STORE: "embedded",
      SVC_DATA_DIR: directory
    })
    expect([migrated.code, migrated.err.trim().split("\n").length]).toEqual([1, 1])
    expect(migrated.err).toContain(`chmod 700 ${directory}`)
  })
})
