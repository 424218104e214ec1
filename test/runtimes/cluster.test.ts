/**
 * Tests two nodes on one database: what they share, and what happens if a node or the database fails.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { api, delivered, liftRateLimit } from "../support/calls.ts"
import { freshDatabase } from "../support/postgres.ts"
import { type PostgresServer, startPostgresServer } from "../support/postgresServer.ts"
import { useServers } from "../support/servers.ts"
import { enterWindow } from "../support/window.ts"

const { all, kill, start } = useServers()

const admin = "token-of-the-operator-0123456789abcdef"

/** Starts one server on each runtime at the same time, on one empty database. */
const startBoth = async (url: string) => {
  const servers = (["node", "bun"] as const).map((runtime) =>
    start(runtime, { SVC_STORE: url, SVC_ADMIN_TOKEN: admin })
  )
  const [node, bun] = await Promise.all(servers.map((server) => server.ready()))
  const first = [node!, bun!].filter((ready) => ready.sandbox !== null)
  expect(first).toHaveLength(1)
  return { node: node!.baseUrl, bun: bun!.baseUrl, ...first[0]!.sandbox! }
}

describe("two nodes on one database", () => {
  it("share idempotency, revocation, rate windows and work", async () => {
    const { accountId, apiKey, bun, node } = await startBoth(await freshDatabase())
    const email = { to: "ada@example.org", subject: "Once", text: "t" }
    const send = (baseUrl: string) =>
      api<{ id: string }>(baseUrl, apiKey, "/api/v1/sending/emails", email, { "idempotency-key": "order-1" })

    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => send(index % 2 ? node : bun)))
    expect(new Set(answers.map((answer) => answer.value.id)).size).toBe(1)
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(49)
    await delivered(bun, apiKey, answers[0]!.value.id)
    const inbox = await api<{ totalCount: number }>(node, admin, `/manage/v1/accounts/${accountId}/inbox`)
    expect(inbox.value.totalCount).toBe(1)

    const contacts = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        api<{ contact: { id: string } }>(index % 2 ? node : bun, apiKey, "/api/v1/contacts", {
          email: "new@example.org"
        })
      )
    )
    expect(new Set(contacts.map((answer) => answer.value.contact.id)).size).toBe(1)

    const created = await api<{ id: string; key: string }>(
      node,
      admin,
      `/manage/v1/accounts/${accountId}/api-keys`,
      { name: "Short-lived", permissions: ["contacts:read"], expiresInDays: 30 }
    )
    await enterWindow({ advance: null, now: Date.now })
    const look = (baseUrl: string) =>
      api(baseUrl, created.value.key, "/api/v1/contacts/email:new@example.org")
    const seen = [await look(node), await look(bun)].map((answer) =>
      answer.headers.get("ratelimit-remaining")
    )
    expect(Number(seen[0]) - Number(seen[1])).toBe(1)
    const store = await api<{ id: string; token: string }>(
      node,
      admin,
      `/manage/v1/accounts/${accountId}/stores`,
      { platform: "Custom", name: "Shop", domain: "shop.example", consentMode: "None" }
    )
    const report = (baseUrl: string) =>
      api(baseUrl, store.value.token, `/ingest/v1/stores/${store.value.id}/events`, { events: ["nothing"] })
    const reported = [await report(node), await report(bun)]
    expect(reported.map((answer) => answer.headers.get("ratelimit-remaining"))).toEqual(["599", "598"])

    const revoked = await fetch(`${node}/manage/v1/accounts/${accountId}/api-keys/${created.value.id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${admin}` }
    })
    expect(revoked.status).toBe(200)
    expect((await look(bun)).status).toBe(401)
    expect((await look(node)).status).toBe(401)
  })

  it("finish the work of one that is killed", async () => {
    const { accountId, apiKey, bun, node } = await startBoth(await freshDatabase())
    await liftRateLimit(node, admin, accountId)
    const sent = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        api<{ id: string }>(node, apiKey, "/api/v1/sending/emails", {
          to: `p${index}@example.org`,
          subject: "s",
          text: "t"
        })
      )
    )
    await kill(all()[0]!)
    // The other node claims the jobs in progress once their leases have expired.
    for (const { value } of sent.slice(-20)) await delivered(bun, apiKey, value.id, 45_000)
  })
})

describe("a database that stops", () => {
  let database: PostgresServer

  beforeEach(async () => {
    database = await startPostgresServer()
  })

  afterEach(() => database.remove())

  it("causes 503 with Retry-After, and the service recovers by itself when it is back", async () => {
    const { accountId, apiKey, bun, node } = await startBoth(database.url)
    const before = await api<{ contact: { id: string } }>(node, apiKey, "/api/v1/contacts", {
      email: "ada@example.org"
    })
    expect(before.status).toBe(201)
    const person = `/manage/v1/accounts/${accountId}/contacts/${before.value.contact.id}`
    const { value: links } = await api<Record<"confirm" | "preferences" | "unsubscribe", string>>(
      node,
      admin,
      `${person}/links`,
      {}
    )
    await database.stop()
    for (const baseUrl of [node, bun]) {
      const refused = await api(baseUrl, apiKey, "/api/v1/contacts", { email: "eve@example.org" })
      expect([refused.status, refused.codes]).toEqual([503, ["common.unavailable"]])
      expect(refused.headers.get("retry-after")).toBe("1")
      for (const path of [links.confirm, links.preferences, links.unsubscribe]) {
        const forms = [undefined, "List-Unsubscribe=One-Click", "from=page&action=save"]
        for (const body of forms) {
          const init = {
            method: body === undefined ? "GET" : "POST",
            ...(body === undefined ? {} : { body })
          }
          const page = await fetch(baseUrl + path, {
            ...init,
            headers: { "content-type": "application/x-www-form-urlencoded" },
            redirect: "manual"
          })
          expect([path, body, page.status, page.headers.get("retry-after")]).toEqual([path, body, 503, "1"])
          expect(await page.text()).toContain("Please try again")
        }
      }
      expect((await fetch(`${baseUrl}/u/nothing`, { method: "POST", body: "a=b" })).status).toBe(404)
      expect((await api(baseUrl, apiKey, "/health/live")).status).toBe(200)
      expect((await api(baseUrl, apiKey, "/health/ready")).status).toBe(503)
    }
    await delay(1500)
    await database.start()
    for (const baseUrl of [node, bun]) {
      await expect
        .poll(async () => (await api(baseUrl, apiKey, "/health/ready")).status, { timeout: 30_000 })
        .toBe(200)
      expect((await api(baseUrl, apiKey, "/api/v1/contacts/email:ada@example.org")).status).toBe(200)
      const sent = await api<{ id: string }>(baseUrl, apiKey, "/api/v1/sending/emails", {
        to: "ada@example.org",
        subject: "s",
        text: "t"
      })
      await expect
        .poll(
          async () =>
            (await api<{ status: string }>(baseUrl, apiKey, `/api/v1/sending/emails/${sent.value.id}`)).value
              .status,
          { timeout: 30_000 }
        )
        .toBe("Delivered")
    }
  })
})
