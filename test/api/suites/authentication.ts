/**
 * Tests authentication and the order of its errors: 401, 403, 429, then all others (docs/contributing/public-api.md
 * "Authentication", docs/contributing/decisions.md 2).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { type Answer, call } from "../../support/client.ts"
import { startEmbedded, type Target } from "../../support/targets.ts"
import { enterWindow } from "../../support/window.ts"
import { allPermissions, type IssuedKey, openWorkspace, type Workspace } from "../../support/workspace.ts"

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

/** Routes of each kind. */
const routes = [
  ["POST", "/contacts"],
  ["GET", "/contacts/ext:1"],
  ["POST", "/events"],
  ["POST", "/items"],
  ["POST", "/items/batch"],
  ["GET", "/items/one"],
  ["DELETE", "/items/one"],
  ["POST", "/sending/emails"],
  ["GET", `/sending/emails/${unknownId}`]
] as const

/** Headers that differ between requests, or concern the connection. */
const passing = ["x-request-id", "date"]

/** A response without the parts that differ between requests. */
const wholeOf = (answer: Answer<unknown>) => ({
  status: answer.status,
  body: answer.text,
  headers: [...answer.headers].filter(([name]) => !passing.includes(name))
})

/** The key with one character changed. */
const mistype = (key: string, at: number): string =>
  key.slice(0, at) + (key[at] === "a" ? "b" : "a") + key.slice(at + 1)

export const authenticationSuite = (target: () => Target) =>
  describe("authentication", () => {
    let workspace: Workspace
    let foreignKey: string
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Authentication")
      const other = await startEmbedded()
      foreignKey = other.sandbox.apiKey
      await other.stop()
    })
    const read = (headers: Readonly<Record<string, string>>) =>
      call(target(), "GET", "/api/v1/contacts/ext:1", { headers })
    const bearer = (key: string) => read({ authorization: `Bearer ${key}` })
    const revoke = async (key: IssuedKey) =>
      expect((await workspace.sandbox.manage("DELETE", `/api-keys/${key.id}`)).status).toBe(200)

    it("returns the same error for every invalid key, and for every call without one", async () => {
      const revoked = await workspace.sandbox.issueKey()
      expect((await bearer(revoked.key)).status).toBe(404)
      await revoke(revoked)
      const { key } = workspace.sandbox
      const without = await Promise.all([
        read({}),
        read({ authorization: "" }),
        read({ authorization: "Bearer" }),
        read({ authorization: key }),
        read({ authorization: `Basic ${btoa(`svc:${key}`)}` }),
        read({ authorization: `Token ${key}` }),
        read({ authorization: `Bearer ${key} ${key}` }),
        read({ "x-api-key": key }),
        call(target(), "GET", `/api/v1/contacts/ext:1?api_key=${key}&access_token=${key}`)
      ])
      const invalid = await Promise.all([
        bearer(mistype(key, 20)),
        bearer(mistype(key, key.length - 1)),
        bearer(key.slice(0, -1)),
        bearer(`${key}0`),
        bearer(key.toUpperCase()),
        bearer(key.replace("svc_test_", "svc_live_")),
        bearer("svc_test_"),
        bearer("x".repeat(4000)),
        bearer(foreignKey),
        bearer(revoked.key)
      ])
      for (const answers of [without, invalid, [await bearer(target().managementToken)]]) {
        expect(answers[0]!.status).toBe(401)
        expect(answers[0]!.headers.get("www-authenticate")).toBe("Bearer")
        expect(answers[0]!.codes).toEqual(["auth.unauthorized"])
        for (const answer of answers) expect(wholeOf(answer)).toEqual(wholeOf(answers[0]!))
      }
    })

    it("rejects an expired key like an unknown one", async ({ skip }) => {
      const { advance } = target()
      if (advance === null) return skip("the clock is the machine's")
      const key = await workspace.sandbox.issueKey(allPermissions, 30)
      expect(Date.parse(key.expiresAt!)).toBeGreaterThan(target().now())
      expect((await bearer(key.key)).status).toBe(404)
      await advance("31 days")
      expect(wholeOf(await bearer(key.key))).toEqual(wholeOf(await bearer(foreignKey)))
    })

    it("rejects a revoked key at once, also for requests in progress", async () => {
      const key = await workspace.sandbox.issueKey()
      await revoke(key)
      const answers = await Promise.all(Array.from({ length: 10 }, () => bearer(key.key)))
      expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 10 }, () => 401))
    })

    it("accepts the scheme in any case", async () => {
      for (const scheme of ["bearer", "BEARER", "Bearer"]) {
        expect((await read({ authorization: `${scheme} ${workspace.sandbox.key}` })).status).toBe(404)
      }
    })

    it("checks the key before the body", async () => {
      for (const [method, path] of routes) {
        const answer = await call(target(), method, `/api/v1${path}`, method === "POST" ? { body: "{" } : {})
        expect(answer.status).toBe(401)
      }
    })

    it("returns 401 before 403 before 429 before 400", async () => {
      const account = (await openWorkspace(target(), "Order")).sandbox
      const reader = await account.issueKey(["contacts:read"])
      const writer = await account.issueKey(["contacts:write"])
      await account.manage("PATCH", "/settings", { rateLimitPerMinute: 1 })
      await enterWindow(target())
      const write = (token?: string) => call(target(), "POST", "/api/v1/contacts", { token, body: "{" })
      expect((await write()).status).toBe(401)
      expect((await write(reader.key)).status).toBe(403)
      expect((await write(writer.key)).status).toBe(400)
      expect((await write(writer.key)).status).toBe(429)
      expect((await write(reader.key)).status).toBe(403)
    })

    it("isolates accounts from each other", async () => {
      const { live, sandbox } = workspace
      const contact = { email: "mine@b.example", externalId: "mine" }
      const made = await sandbox.api<{ contact: { id: string } }>("POST", "/contacts", contact)
      const email = { to: "a@b.example", subject: "s", text: "t" }
      const sent = await sandbox.api<{ id: string }>("POST", "/sending/emails", email)
      for (const path of [
        `/contacts/${made.value.contact.id}`,
        "/contacts/ext:mine",
        "/contacts/email:mine@b.example",
        `/sending/emails/${sent.value.id}`
      ]) {
        expect((await sandbox.api("GET", path)).status).toBe(200)
        expect((await live.api("GET", path)).status).toBe(404)
      }
      const strange = await live.api("POST", "/contacts", { id: made.value.contact.id, city: "x" })
      expect(strange.codes).toEqual(["audience.contact_email_required"])
    })
  })
