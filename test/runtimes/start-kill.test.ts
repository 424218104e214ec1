/**
 * Tests `kill -9` at various times of the first start: the next start recovers.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { api, delivered } from "../support/calls.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"

const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]

const { all, kill, start } = useServers({ fresh: true })

describe("kill -9", () => {
  it("during the first start is recovered by the next start, whenever it came", async () => {
    for (const [index, millis] of [150, 700, 1500, 2500, 3200, 4000].entries()) {
      const server = start(runtimes[index % 2]!)
      await delay(millis + Math.random() * 300)
      await kill(server)
    }
    const server = start("node")
    const { baseUrl, managementToken, sandbox } = await server.ready()
    // A start that has shown its secrets was the first one.
    if (sandbox === null)
      return expect(all().some((earlier) => earlier.out().includes("svc_test_"))).toBe(true)
    const keys = await api<ReadonlyArray<{ revokedAt: string | null }>>(
      baseUrl,
      managementToken!,
      `/manage/v1/accounts/${sandbox.accountId}/api-keys`
    )
    expect(keys.value.filter((key) => key.revokedAt === null)).toHaveLength(1)
    const sent = await api<{ id: string }>(baseUrl, sandbox.apiKey, "/api/v1/sending/emails", {
      to: "ada@example.org",
      subject: "s",
      text: "t"
    })
    await delivered(baseUrl, sandbox.apiKey, sent.value.id)
  })
})
