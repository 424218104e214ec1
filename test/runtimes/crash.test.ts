/**
 * Tests a server on the embedded database that is killed under load, and the next one on the same data.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { api, delivered, liftRateLimit } from "../support/calls.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"

const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]

const { kill, start } = useServers()

describe("kill -9", () => {
  for (const runtime of runtimes) {
    it(`under load on ${runtime} loses nothing acknowledged, and queued emails are delivered`, async () => {
      const server = start(runtime)
      const { baseUrl, managementToken, sandbox } = await server.ready()
      await liftRateLimit(baseUrl, managementToken!, sandbox!.accountId)
      const acknowledged: Array<string> = []
      const contacts: Array<string> = []
      const send = async (caller: number) => {
        for (let index = 0; ; index++) {
          const email = `p${caller}-${index}@example.org`
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
      await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(40)
      await delay(300 * Math.random())
      await kill(server)
      await load

      const next = start(runtime === "node" ? "bun" : "node")
      const address = (await next.ready()).baseUrl
      for (const id of acknowledged.slice(-40)) await delivered(address, sandbox!.apiKey, id)
      for (const id of contacts.slice(-40)) {
        expect((await api(address, sandbox!.apiKey, `/api/v1/contacts/${id}`)).status).toBe(200)
      }
    })
  }
})
