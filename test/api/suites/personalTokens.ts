/**
 * Tests personal tokens, which have the rights of their users, and devices that get one (docs/contributing/people.md 3).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { type Browser, joinCompany } from "../../support/browser.ts"
import { call } from "../../support/client.ts"
import type { Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type Workspace } from "../../support/workspace.ts"

interface Issued {
  readonly id: string
  readonly token: string
  readonly display: string
  readonly rights: ReadonlyArray<string> | null
  readonly expiresAt: string
}

interface Waiting {
  readonly deviceCode: string
  readonly userCode: string
  readonly verificationUrl: string
  readonly expiresIn: number
  readonly interval: number
}

let last = 0
const newAddress = (): string => `token-${Date.now().toString(36)}-${++last}@people.example`

/** Tests of personal tokens and of devices. */
export const personalTokensSuite = (target: () => Target): void => {
  describe("personal tokens", () => {
    let workspace: Workspace
    let other: Workspace
    let browser: Browser
    let userId: string

    const create = (values: object = {}) =>
      browser.send<Issued>("POST", "/me/tokens", { name: "A script", expiresInDays: 30, ...values })

    /** The status and codes of a call with a token. */
    const outcome = async (token: string, method: string, path: string, json?: unknown) => {
      const { codes, status } = await call(target(), method, `/manage/v1${path}`, {
        token,
        ...(json === undefined ? {} : { json })
      })
      return [status, ...codes]
    }

    const emails = () => `/accounts/${workspace.live.accountId}/emails`
    const missing = [403, "users.right_missing"]
    const unauthorized = [401, "auth.unauthorized"]

    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Personal tokens")
      other = await openWorkspace(target(), "Personal tokens of others")
      await joinCompany(target(), workspace.companyId, newAddress())
      ;({ browser, userId } = await joinCompany(target(), workspace.companyId, newAddress(), "Support"))
    })

    it("have the rights of their users at the time of the call, or some of them", async () => {
      const issued = (await create()).value
      expect(issued).toMatchObject({ rights: null, display: expect.stringMatching(/^svc_user_/) })
      expect(issued.token).toMatch(/^svc_user_\w+$/)
      expect(Date.parse(issued.expiresAt) - target().now()).toBeLessThanOrEqual(30 * 86_400_000)
      const some = (await create({ rights: ["stats:read", "stats:read"] })).value
      expect(some.rights).toEqual(["stats:read"])
      expect(await outcome(issued.token, "GET", emails())).toEqual([200])
      expect(await outcome(some.token, "GET", emails())).toEqual(missing)
      expect(await outcome(some.token, "GET", `/accounts/${workspace.live.accountId}/stats`)).toEqual([200])
      expect(await outcome(issued.token, "GET", `/accounts/${other.live.accountId}/emails`)).toEqual([
        404,
        "common.not_found"
      ])
      expect(await outcome(issued.token, "GET", "/users")).toEqual(missing)
      const members = `/companies/${workspace.companyId}/members`
      await manage(target(), "PATCH", `${members}/${userId}`, { json: { role: "Viewer" } })
      expect(await outcome(issued.token, "GET", emails())).toEqual(missing)
      await manage(target(), "PATCH", `${members}/${userId}`, { json: { role: "Admin" } })
      expect(await outcome(issued.token, "GET", emails())).toEqual([200])
      // A token cannot add members, and cannot call the routes of sessions.
      expect(await outcome(issued.token, "POST", members, { email: newAddress(), role: "Viewer" })).toEqual(
        missing
      )
      for (const path of ["/me", "/me/tokens", "/session"]) {
        expect([path, ...(await outcome(issued.token, "GET", path))]).toEqual([path, ...unauthorized])
      }
      const listed = (await browser.send<Page<object>>("GET", "/me/tokens")).value.items
      expect(listed).toMatchObject([
        { id: some.id, rights: ["stats:read"], lastUsedAt: expect.any(String) },
        { id: issued.id, rights: null, lastUsedNetwork: expect.any(String) }
      ])
      expect(JSON.stringify(listed)).not.toContain(issued.token)
      expect((await browser.send("DELETE", `/me/tokens/${issued.id}`)).status).toBe(200)
      expect(await outcome(issued.token, "GET", emails())).toEqual(unauthorized)
      expect(await outcome(some.token, "GET", `/accounts/${workspace.live.accountId}/stats`)).toEqual([200])
    })

    it("are refused without an end, and with rights that their users lack", async () => {
      for (const [values, field] of [
        [{ expiresInDays: null }, "expiresInDays"],
        [{ expiresInDays: 366 }, "expiresInDays"],
        [{ expiresInDays: 0.5 }, "expiresInDays"],
        [{ name: "x" }, "name"],
        [{ rights: [] }, "rights"],
        [{ rights: ["all"] }, "rights[0]"]
      ] as const) {
        const { fields, status } = await create(values)
        expect([values, status, fields]).toEqual([values, 400, [field]])
      }
      const exceeding = await create({ rights: ["stats:read", "users:operate"] })
      expect([exceeding.status, ...exceeding.codes]).toEqual([403, "tokens.right_exceeds"])
      expect((await browser.send("DELETE", `/me/tokens/${userId}`)).codes).toEqual(["common.not_found"])
    })

    it("end with the user and with the last membership, at most twenty at a time", async () => {
      const { browser: leaving, userId: leavingId } = await joinCompany(
        target(),
        workspace.companyId,
        newAddress(),
        "Support"
      )
      const issue = async () =>
        await leaving.send<Issued>("POST", "/me/tokens", { name: "A script", expiresInDays: 1 })
      const tokens = []
      for (let index = 0; index < 20; index++) tokens.push((await issue()).value.token)
      expect((await issue()).codes).toEqual(["tokens.limit_reached"])
      const [token = ""] = tokens
      expect(await outcome(token, "GET", emails())).toEqual([200])
      await manage(target(), "PATCH", `/users/${leavingId}`, { json: { status: "Disabled" } })
      expect(await outcome(token, "GET", emails())).toEqual(unauthorized)
      await manage(target(), "PATCH", `/users/${leavingId}`, { json: { status: "Active" } })
      expect(await outcome(token, "GET", emails())).toEqual(unauthorized)
      const { browser: moving, userId: movingId } = await joinCompany(
        target(),
        workspace.companyId,
        newAddress(),
        "Support"
      )
      const moved = (await moving.send<Issued>("POST", "/me/tokens", { name: "A script", expiresInDays: 1 }))
        .value.token
      expect(await outcome(moved, "GET", emails())).toEqual([200])
      await manage(target(), "DELETE", `/companies/${workspace.companyId}/members/${movingId}`)
      expect(await outcome(moved, "GET", emails())).toEqual(unauthorized)
      const { advance } = target()
      if (advance === null) return
      const shortLived = (await create({ expiresInDays: 1 })).value.token
      await advance("24 hours")
      expect(await outcome(shortLived, "GET", emails())).toEqual(unauthorized)
    })
  })

  describe("devices", () => {
    let workspace: Workspace
    let browser: Browser

    const begin = async () => (await call<Waiting>(target(), "POST", "/manage/v1/device", { json: {} })).value
    const poll = async (deviceCode: string) => {
      const { codes, envelope, status } = await call<{ token: string }>(
        target(),
        "POST",
        "/manage/v1/device/token",
        { json: { deviceCode } }
      )
      return { outcome: [status, ...codes], token: envelope?.value?.token ?? "" }
    }
    const expired = [400, "users.device_expired"]
    const pending = [400, "users.device_pending"]

    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Devices")
      ;({ browser } = await joinCompany(target(), workspace.companyId, newAddress()))
    })

    it("get a token of the user who confirms their code, once", async () => {
      const waiting = await begin()
      expect(waiting).toMatchObject({
        userCode: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
        verificationUrl: `${target().baseUrl}/app/device`,
        expiresIn: 600,
        interval: 5
      })
      expect((await poll(waiting.deviceCode)).outcome).toEqual(pending)
      const typed = ` ${waiting.userCode.toLowerCase().replace("-", " ")} `
      const confirm = async (userCode: string) => {
        const { codes, status } = await browser.send("POST", "/device/confirm", { userCode })
        return [status, ...codes]
      }
      expect(await confirm("BBBB-BBBB")).toEqual([401, "users.code_invalid"])
      expect(await confirm(waiting.deviceCode)).toEqual([401, "users.code_invalid"])
      expect(await confirm(typed)).toEqual([200])
      expect(await confirm(typed)).toEqual([401, "users.code_invalid"])
      const { outcome, token } = await poll(waiting.deviceCode)
      expect([outcome, token]).toEqual([[200], expect.stringMatching(/^svc_user_/)])
      const listed = await call<Page<{ id: string }>>(target(), "GET", "/manage/v1/companies", { token })
      expect(listed.value.items.map(({ id }) => id)).toEqual([workspace.companyId])
      expect((await poll(waiting.deviceCode)).outcome).toEqual(expired)
      for (const code of ["", "x", "A".repeat(43), waiting.userCode]) {
        expect((await poll(code)).outcome).toEqual(expired)
      }
    })

    it("wait for ten minutes, and for a user whom a factor confirmed lately", async () => {
      const { advance } = target()
      if (advance === null) return
      const waiting = await begin()
      await advance("10 minutes")
      expect((await poll(waiting.deviceCode)).outcome).toEqual(expired)
      expect((await browser.send("POST", "/device/confirm", { userCode: waiting.userCode })).codes).toEqual([
        "users.code_invalid"
      ])
      await advance("6 minutes")
      const { userCode } = await begin()
      expect((await browser.send("POST", "/device/confirm", { userCode })).codes).toEqual([
        "users.confirmation_required"
      ])
    })
  })
}
