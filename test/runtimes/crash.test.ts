import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { api, delivered, liftRateLimit } from "../support/calls.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"

const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]

const { all, kill, start } = useServers()

describe("kill -9", () => {
  it("during the first start: the next one recovers, whenever it came", async () => {
    for (const [index, millis] of [150, 700, 1500, 2500, 3200, 4000].entries()) {
      const server = start(runtimes[index % 2]!)
      await delay(millis + Math.random() * 300)
      await kill(server)
    }
    const server = start("node")
    const { baseUrl, managementToken, sandbox } = await server.ready()
    // A start that came far enough to show its secrets is not the first one any more.
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

  for (const runtime of runtimes) {
    it(`under load on ${runtime}: nothing acknowledged is lost, and what was queued is delivered`, async () => {
      const server = start(runtime)
      const { baseUrl, managementToken, sandbox } = await server.ready()
      await liftRateLimit(baseUrl, managementToken!, sandbox!.accountId)
      const acknowledged: Array<string> = []
      const contacts: Array<string> = []
      const send = async (lane: number) => {
        for (let index = 0; ; index++) {
          const email = `p${lane}-${index}@example.org`
          try {
            const mail = { to: email, subject: "s", text: "t" }
            const [sent, contact] = await Promise.all([
              api<{ id: string }>(baseUrl, sandbox!.apiKey, "/api/v1/sending/emails", mail),
              api<{ contact: { id: string } }>(baseUrl, sandbox!.apiKey, "/api/v1/contacts", { email })
            ])
            if (sent.status === 201) acknowledged.push(sent.value.id)
            if (contact.status === 201) contacts.push(contact.value.contact.id)
          } catch {
            return
          }
        }
      }
      const load = Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(send))
      await delay(700)
      await kill(server)
      await load
      expect(acknowledged.length).toBeGreaterThan(10)

      const next = start(runtime === "node" ? "bun" : "node")
      const address = (await next.ready()).baseUrl
      for (const id of acknowledged.slice(-40)) await delivered(address, sandbox!.apiKey, id)
      for (const id of contacts.slice(-40)) {
        expect((await api(address, sandbox!.apiKey, `/api/v1/contacts/${id}`)).status).toBe(200)
      }
    })
  }
})
