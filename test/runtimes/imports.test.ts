/**
 * Imports whose process is killed: reading continues where the last committed batch ended.
 *
 * @module
 */
import { expect, it } from "vitest"
import { api } from "../support/calls.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"

interface Import {
  readonly id: string
  readonly status: string
  readonly rows: {
    readonly read: number
    readonly created: number
    readonly updated: number
    readonly failed: number
  }
}

const { kill, start } = useServers()

const count = 12_000

it.each<[Runtime, Runtime]>([
  ["node", "bun"],
  ["bun", "node"]
])("an import killed on %s and continued on %s writes every row once", async (first, second) => {
  const server = start(first)
  const { baseUrl, managementToken, sandbox } = await server.ready()
  const path = `/manage/v1/accounts/${sandbox!.accountId}/imports`
  const rows = Array.from({ length: count }, (_, index) => `p${index}@crash.example,${index}\n`)
  const response = await fetch(baseUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${managementToken}`, "content-type": "text/csv" },
    body: `email,firstName\n${rows.join("")}invalid,x\n`
  })
  const { id } = ((await response.json()) as { value: Import }).value
  const look = async (base: string) => (await api<Import>(base, managementToken!, `${path}/${id}`)).value
  await expect
    .poll(async () => (await look(baseUrl)).rows.read, { timeout: 60_000, interval: 20 })
    .toBeGreaterThan(0)
  await kill(server)

  const next = start(second)
  const address = (await next.ready()).baseUrl
  const found = await look(address)
  expect(["Running", "Completed"]).toContain(found.status)
  await expect.poll(async () => (await look(address)).status, { timeout: 100_000 }).toBe("Completed")
  expect((await look(address)).rows).toEqual({ read: count + 1, created: count, updated: 0, failed: 1 })
})
