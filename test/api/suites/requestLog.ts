/**
 * Tests the request log and the usage of an account (docs/management-api.md).
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import { mailOf } from "../../support/mail.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface Logged {
  readonly id: string
  readonly requestId: string
  readonly at: string
  readonly keyId: string
  readonly method: string
  readonly route: string | null
  readonly status: number
  readonly code: string | null
  readonly durationMillis: number
  readonly warnings: ReadonlyArray<string>
  readonly requestBody: string | null
  readonly responseBody: string | null
}

export const requestLogSuite = (target: () => Target) =>
  describe("the request log", () => {
    const logged = async (account: TestAccount, query = "") =>
      (await account.manage<{ readonly items: ReadonlyArray<Logged> }>("GET", `/requests${query}`)).value
        .items
    const eventuallyLogged = (account: TestAccount, count: number, query = "") =>
      eventually(
        () => logged(account, query),
        (items) => items.length === count
      )

    it("has the calls of a sandbox with their bodies, without secrets, and filters them", async () => {
      const { sandbox: account } = await openWorkspace(target(), "Logged")
      const { id: keyId, key } = await account.issueKey(["contacts:read", "contacts:write"])
      const send = (method: string, path: string, requestId: string, json?: unknown) =>
        call(target(), method, path, {
          token: key,
          headers: { "x-request-id": requestId },
          ...(json === undefined ? {} : { json })
        })
      const secret = `svc_test_${"a".repeat(43)}`
      const contact = {
        email: "ada@example.com",
        attributes: { api_token: "hush", note: `my ${secret} key` }
      }
      await account.manage("PATCH", "/settings", { autoCreateAttributes: true })
      expect((await send("POST", "/api/v1/contacts", "r-1", contact)).status).toBe(201)
      expect((await send("GET", "/api/v1/contacts/email:none@example.com", "r-2")).status).toBe(404)
      expect((await send("GET", "/api/v1/commerce/orders", "r-3")).status).toBe(403)
      expect((await send("GET", "/api/v1/nowhere", "r-4")).status).toBe(404)
      expect((await send("POST", "/api/v1/contacts", "r-5", [])).status).toBe(400)
      const [malformed, unrouted, forbidden, missing, made] = (await eventuallyLogged(
        account,
        5,
        `?keyId=${keyId}`
      )) as [Logged, Logged, Logged, Logged, Logged]
      const bodies = { requestBody: null, responseBody: expect.any(String) }
      const common = { keyId, warnings: [], id: expect.any(String), durationMillis: expect.any(Number) }
      const rest = { ...common, ...bodies, at: expect.any(String) }
      const route = "/api/v1/contacts/:reference"
      expect(missing).toEqual({
        ...rest,
        requestId: "r-2",
        method: "GET",
        route,
        status: 404,
        code: "audience.contact_not_found"
      })
      expect(forbidden).toMatchObject({ requestId: "r-3", status: 403, code: "auth.forbidden" })
      expect(unrouted).toMatchObject({ requestId: "r-4", route: null, status: 404, code: "common.not_found" })
      expect(malformed).toMatchObject({
        requestId: "r-5",
        status: 400,
        code: "invalid_body",
        requestBody: "[]"
      })
      expect(made).toMatchObject({ requestId: "r-1", method: "POST", status: 201, code: null })
      expect(JSON.parse(made.requestBody!)).toEqual({
        email: "ada@example.com",
        attributes: { api_token: "***", note: "my svc_test_*** key" }
      })
      expect(made.responseBody).toContain("ada@example.com")
      expect(made.responseBody).not.toContain("hush")
      expect(Math.abs(Date.parse(made.at) - target().now())).toBeLessThan(60_000)

      const requestIds = async (query: string) =>
        (await logged(account, `?keyId=${keyId}&${query}`)).map(({ requestId }) => requestId)
      expect(await requestIds("status=403,400")).toEqual(["r-5", "r-3"])
      expect(await requestIds("code=common.not_found")).toEqual(["r-4"])
      expect(await requestIds(`route=${encodeURIComponent(route)}&method=GET`)).toEqual(["r-2"])
      expect(await requestIds("q=r-1")).toEqual(["r-1"])
      expect(await requestIds(`since=${encodeURIComponent(made.at)}&q=r-5`)).toEqual(["r-5"])
      expect(await requestIds(`until=${encodeURIComponent(made.at)}`)).toEqual([])
      for (const query of ["method=BREW", "status=abc", "keyId=x", "bodies=1"]) {
        expect((await account.manage("GET", `/requests?${query}`)).status).toBe(400)
      }
    })

    it("has no bodies in a live account, and nothing where it is turned off", async () => {
      const { live, sandbox } = await openWorkspace(target(), "Unlogged")
      await sandbox.manage("PATCH", "/settings", { requestLogDays: 0 })
      await sandbox.api("GET", "/segments")
      await live.api("POST", "/contacts", { email: "ada@example.com" })
      const [one] = await eventuallyLogged(live, 1)
      expect(one).toMatchObject({ status: 201, requestBody: null, responseBody: null })
      expect(JSON.stringify(one)).not.toContain("ada@")
      expect(await logged(sandbox)).toEqual([])
      const refused = await live.manage("PATCH", "/settings", { requestLogDays: 31 })
      expect([refused.status, refused.fields]).toEqual([400, ["requestLogDays"]])
    })

    it("stands beside what the account uses of its limits", async () => {
      const { sandbox: account } = await openWorkspace(target(), "Used")
      const usage = () => account.manage("GET", "/usage")
      const limits = { contactLimit: null, dailySendLimit: null, rateLimitPerMinute: 100_000 }
      expect((await usage()).value).toEqual({ contacts: 0, emailsToday: 0, limits })
      await account.manage("PATCH", "/settings", { contactLimit: 5, dailySendLimit: 9 })
      await account.api("POST", "/contacts", { email: "ada@example.com" })
      const mail = mailOf(account)
      const { id } = await mail.send("ada@example.com")
      await mail.settled(id, "Delivered")
      expect((await usage()).value).toEqual({
        contacts: 1,
        emailsToday: 1,
        limits: { ...limits, contactLimit: 5, dailySendLimit: 9 }
      })
    })
  })
