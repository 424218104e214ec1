/**
 * Tests the secret key of an installation: it is generated at the first start, and is the same for all nodes of a database.
 *
 * @module
 */
import { readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { freshDatabase } from "../support/postgres.ts"
import type { ServerProcess } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"

const { folder, start, stop } = useServers()

const differs =
  "The secret key is not the one this database was set up with: give every node the same SVC_SECRET_KEY. " +
  "If the key is lost, svc secrets reset says what else is lost with it"

const expectRefused = async (server: ServerProcess, line: string) => {
  expect((await server.ended).code).toBe(1)
  expect(server.out()).toBe("")
  expect(server.err().trim().split("\n")).toEqual([line])
}

describe("the secret key", () => {
  it("is generated at the first start, readable by its owner only, kept, and not printed", async () => {
    const path = join(folder(), "data", "secret.key")
    const first = start("node")
    await first.ready()
    await stop(first)
    const made = await readFile(path, "utf8")
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(made).toMatch(/^[0-9a-f]{64}\n$/)
    for (const text of [first.out(), first.err()]) expect(text).not.toContain(made.trim())

    const again = start("bun")
    await again.ready()
    await stop(again)
    expect(await readFile(path, "utf8")).toBe(made)
  })

  it("must be the same for all nodes of a database: a start with another one fails", async () => {
    const path = join(folder(), "data", "secret.key")
    const SVC_STORE = await freshDatabase()
    const first = start("node", { SVC_STORE })
    await first.ready()
    const SVC_SECRET_KEY = (await readFile(path, "utf8")).trim()
    const second = start("bun", { SVC_STORE, SVC_SECRET_KEY })
    await second.ready()
    await expectRefused(
      start("bun", { SVC_STORE, SVC_SECRET_KEY: "the key that another operator gave" }),
      differs
    )
    await rm(path)
    await expectRefused(start("node", { SVC_STORE }), differs)
    await writeFile(path, "no key\n")
    await expectRefused(
      start("node", { SVC_STORE }),
      `The secret key file ${path} does not contain a key of 64 hexadecimal digits`
    )
    for (const server of [first, second]) await stop(server)
  })
})
