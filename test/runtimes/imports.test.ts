/**
 * Tests imports and jobs on many contacts whose process is killed: they continue after the last committed batch.
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

it("a job killed on node and continued on bun acts on every contact once", async () => {
  const people = 2_000
  const server = start("node")
  const { baseUrl, managementToken, sandbox } = await server.ready()
  const { accountId, apiKey } = sandbox!
  for (let from = 0; from < people; from += 1_000) {
    const contacts = Array.from({ length: 1_000 }, (_, index) => ({ email: `p${from + index}@job.example` }))
    await api(baseUrl, apiKey, "/api/v1/contacts/batch", { contacts })
  }
  interface Job {
    readonly id: string
    readonly state: string
    readonly done: number
    readonly reportUrl: string
  }
  const path = `/manage/v1/accounts/${accountId}`
  const asked = { filter: {}, action: { kind: "Export", format: "Ndjson" } }
  const { id } = (await api<Job>(baseUrl, managementToken!, `${path}/contacts/bulk`, asked)).value
  const look = async (base: string) => (await api<Job>(base, managementToken!, `${path}/jobs/${id}`)).value
  await expect
    .poll(async () => (await look(baseUrl)).done, { timeout: 60_000, interval: 5 })
    .toBeGreaterThan(0)
  await kill(server)

  const address = (await start("bun").ready()).baseUrl
  await expect.poll(async () => (await look(address)).state, { timeout: 100_000 }).toBe("Done")
  const { done, reportUrl } = await look(address)
  expect(done).toBe(people)
  const headers = { authorization: `Bearer ${managementToken}` }
  const lines = (await (await fetch(address + reportUrl, { headers })).text()).trim().split("\n")
  expect(lines).toHaveLength(people)
  expect(new Set(lines.map((line) => (JSON.parse(line) as { id: string }).id)).size).toBe(people)
})
