/**
 * Tests companies (docs/contributing/people.md 1, 2 and 7): their own settings, their deletion and erasure, and operators' access
 * to their personal data.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { type Browser, goodPassword, joinCompany, openBrowser } from "../../support/browser.ts"
import { call, eventually } from "../../support/client.ts"
import { mailOf } from "../../support/mail.ts"
import type { Page } from "../../support/shapes.ts"
import { connectStore, storeEvent } from "../../support/stores.ts"
import { openSmtp, plainToken } from "../../support/smtpClient.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type Workspace } from "../../support/workspace.ts"

interface CompanyValue {
  readonly name: string
  readonly requireTwoFactors: boolean
  readonly auditRetentionDays: number
  readonly brand: unknown
  readonly deletedAt: string | null
}

interface Entry {
  readonly actor: { readonly kind: string; readonly id: string | null }
  readonly action: string
  readonly target: { readonly id: string }
  readonly after: unknown
}

const noBrand = {
  name: null,
  logo: null,
  colors: { accent: null, background: null, text: null },
  postalAddress: null,
  footer: null
}

let last = 0
const newAddress = (): string => `colleague-${Date.now().toString(36)}-${++last}@people.example`

/** Tests of companies. */
export const companiesSuite = (target: () => Target): void => {
  const entriesOf = async (companyId: string, action: string) =>
    (await manage<Page<Entry>>(target(), "GET", `/companies/${companyId}/audit-log?action=${action}`)).value
      .items

  describe("a company", () => {
    let workspace: Workspace
    let owner: Browser
    let path: string

    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Deciding")
      ;({ browser: owner } = await joinCompany(target(), workspace.companyId, newAddress()))
      path = `/companies/${workspace.companyId}`
    })

    it("is listed by state, by name and by how much it sends", async () => {
      const { companyId, sandbox } = await openWorkspace(target(), "Zzyzx listed")
      const list = async (query: string) =>
        manage<Page<{ id: string; volume: number }>>(target(), "GET", `/companies?q=zzyzx%20LIST&${query}`)
      for (const sort of ["time", "-name", "-volume"]) {
        expect((await list(`sort=${sort}`)).value.items).toMatchObject([{ id: companyId, volume: 0 }])
      }
      expect((await list("state=Deleted")).value.items).toEqual([])
      await mailOf(sandbox).send("someone@companies.example")
      // Email from the sandbox does not count towards the volume.
      expect((await list("state=Active")).value.items).toMatchObject([{ id: companyId, volume: 0 }])
      // A member only sees their own companies.
      expect((await owner.send<Page<object>>("GET", "/companies?q=zzyzx")).value.items).toEqual([])
      for (const [query, field] of [
        ["state=Sold", "state"],
        ["sort=size", "sort"],
        ["name=x", "name"]
      ]) {
        const answer = await list(query!)
        expect([answer.status, answer.fields]).toEqual([400, [field]])
      }
    })

    it("has a name, a policy and a brand that its members change by their rights", async () => {
      const created = {
        name: "Deciding",
        requireTwoFactors: false,
        auditRetentionDays: 400,
        brand: noBrand,
        deletedAt: null
      }
      expect((await owner.send<CompanyValue>("GET", path)).value).toMatchObject(created)
      const changed = await owner.send<CompanyValue>("PATCH", path, {
        name: " Decided ",
        auditRetentionDays: 90
      })
      expect(changed.value).toMatchObject({ ...created, name: "Decided", auditRetentionDays: 90 })
      const { accountId } = workspace.live
      expect((await manage(target(), "GET", `/accounts/${accountId}`)).value).toMatchObject({
        name: "Decided"
      })
      const brand = {
        name: "Decided Ltd",
        logo: "01890A5D-AC96-774B-BCCE-B302099A8057",
        colors: { accent: "#AbCdEf", background: null, text: "#000000" },
        postalAddress: "1 High Street\nTown"
      }
      const set = {
        ...brand,
        logo: brand.logo.toLowerCase(),
        colors: { ...brand.colors, accent: "#abcdef" },
        footer: null
      }
      const shown = { ...set, logoUrl: null }
      expect((await owner.send("PUT", `${path}/brand`, brand)).value).toEqual(shown)
      expect((await owner.send("GET", `${path}/brand`)).value).toEqual(shown)
      expect((await owner.send<CompanyValue>("GET", path)).value.brand).toEqual(set)
      const { browser: marketer } = await joinCompany(target(), workspace.companyId, newAddress(), "Marketer")
      expect((await marketer.send("PATCH", path, { name: "Mine" })).codes).toEqual(["users.right_missing"])
      expect((await marketer.send("DELETE", path)).codes).toEqual(["users.right_missing"])
      expect((await marketer.send("PUT", `${path}/brand`, {})).value).toEqual({ ...noBrand, logoUrl: null })
      expect((await entriesOf(workspace.companyId, "company")).map(({ after }) => after)).toEqual([
        { name: "Decided", auditRetentionDays: 90 }
      ])
    })

    it("rejects what is no name, retention, colour or image", async () => {
      for (const [body, fields] of [
        [{ name: " " }, ["name"]],
        [{ name: "x".repeat(101) }, ["name"]],
        [{ auditRetentionDays: 89 }, ["auditRetentionDays"]],
        [{ auditRetentionDays: 3651 }, ["auditRetentionDays"]],
        [{ auditRetentionDays: 90.5 }, ["auditRetentionDays"]],
        [{ requireTwoFactors: "yes" }, ["requireTwoFactors"]]
      ] as const) {
        const answer = await owner.send("PATCH", path, body)
        expect([body, answer.status, answer.fields]).toEqual([body, 400, fields])
      }
      const colours = ["red", "#fff", "#12345g", "#1234567", "url(#123456)", "#123456;}", ""]
      for (const accent of colours) {
        const answer = await owner.send("PUT", `${path}/brand`, { colors: { accent } })
        expect([accent, answer.status, answer.fields]).toEqual([accent, 400, ["colors.accent"]])
      }
      const wrong = { logo: "logo.png", postalAddress: "x".repeat(501), footer: "\0" }
      expect((await owner.send("PUT", `${path}/brand`, wrong)).fields).toEqual([
        "footer",
        "logo",
        "postalAddress"
      ])
    })

    it("requires second factors of its members from their next call on, and nothing else before one", async () => {
      const { companyId } = await openWorkspace(target(), "Two factors")
      const email = newAddress()
      const { browser } = await joinCompany(target(), companyId, email)
      const policy = (requireTwoFactors: boolean) =>
        manage(target(), "PATCH", `/companies/${companyId}`, { json: { requireTwoFactors } })
      expect((await browser.send("GET", `/companies/${companyId}`)).status).toBe(200)
      await policy(true)
      expect((await browser.send("GET", `/companies/${companyId}`)).codes).toEqual(["users.factor_required"])
      expect((await browser.send<{ needs: string }>("GET", "/session")).value.needs).toBe("Factor")
      expect((await browser.send("GET", "/me")).status).toBe(200)
      const other = openBrowser(target())
      const again = await other.send<{ needs: string }>("POST", "/session/password", {
        email,
        password: goodPassword
      })
      expect(again.value.needs).toBe("Factor")
      expect((await other.send("GET", `/companies/${companyId}`)).codes).toEqual(["users.factor_required"])
      expect((await other.send("POST", "/me/totp", {})).status).toBe(200)
      await policy(false)
      expect((await other.send("GET", `/companies/${companyId}`)).status).toBe(200)
    })
  })

  describe("a deleted company", () => {
    const deletion = async (name: string) => {
      const workspace = await openWorkspace(target(), name)
      const { sandbox } = workspace
      const contact = { email: newAddress(), consent: { basis: "Subscribed", proof: { text: "Yes" } } }
      const { id } = (await sandbox.api<{ contact: { id: string } }>("POST", "/contacts", contact)).value
        .contact
      const links = (
        await sandbox.manage<{ preferences: string; unsubscribe: string }>("POST", `/contacts/${id}/links`)
      ).value
      const path = `/companies/${workspace.companyId}`
      return { workspace, path, links, email: contact.email }
    }
    const login = async (key: string): Promise<string> => {
      const client = await openSmtp(target().smtp.tls)
      try {
        await client.read()
        await client.say("EHLO test.example")
        return await client.say(`AUTH PLAIN ${plainToken(key)}`)
      } finally {
        client.close()
      }
    }

    it("has no keys, no relay and no sending, while links work, until it is restored", async () => {
      const { links, path, workspace } = await deletion("Deleted")
      const { sandbox } = workspace
      const store = await connectStore(target(), sandbox)
      const flow = (
        await sandbox.manage<{ id: string }>("POST", "/flows", { name: "Called", trigger: { kind: "Api" } })
      ).value
      const { token } = (await sandbox.manage<{ token: string }>("POST", `/flows/${flow.id}/trigger-token`))
        .value
      const codesOfTokens = async () => {
        const json = { id: "1", email: newAddress() }
        const reported = await store.report(storeEvent("customer.created", json))
        const triggered = await call(target(), "POST", `/flows/${flow.id}/trigger`, { token, json })
        return [reported.codes, triggered.codes]
      }
      const before = await codesOfTokens()
      expect(before).toEqual([[], ["automation.workflow_not_published"]])
      const statusOf = async (link: string) => (await target().fetch(link)).status
      const deleted = await manage<CompanyValue>(target(), "DELETE", path)
      expect(deleted.value.deletedAt).toMatch(/Z$/)
      expect((await manage<CompanyValue>(target(), "DELETE", path)).value).toEqual(deleted.value)
      expect((await sandbox.api("GET", "/topics")).codes).toEqual(["auth.unauthorized"])
      expect(await login(sandbox.key)).toMatch(/^535 /)
      expect(await codesOfTokens()).toEqual([["auth.unauthorized"], ["automation.api_trigger_invalid"]])
      expect([await statusOf(links.preferences), await statusOf(links.unsubscribe)]).toEqual([200, 200])
      expect((await manage<CompanyValue>(target(), "GET", path)).value.deletedAt).toBe(
        deleted.value.deletedAt
      )
      const restored = await manage<CompanyValue>(target(), "POST", `${path}/restore`)
      expect(restored.value.deletedAt).toBeNull()
      expect((await manage(target(), "POST", `${path}/restore`)).value).toEqual(restored.value)
      expect((await sandbox.api("GET", "/topics")).status).toBe(200)
      expect(await login(sandbox.key)).toMatch(/^235 /)
      expect(await codesOfTokens()).toEqual(before)
      expect((await entriesOf(workspace.companyId, "company")).map(({ action }) => action)).toEqual([
        "company.restored",
        "company.deleted"
      ])
    })

    it("sends what was accepted before only after it is restored", async () => {
      const { path, workspace } = await deletion("Waiting")
      const { sandbox } = workspace
      const inSeconds = new Date(target().now() + 2_000).toISOString()
      const email = { to: newAddress(), subject: "Later", text: "Text", sendAt: inSeconds }
      const { id } = (await sandbox.api<{ id: string }>("POST", "/sending/emails", email)).value
      const shown = async () =>
        (await sandbox.manage<{ status: string; reason: string }>("GET", `/emails/${id}`)).value
      await manage(target(), "DELETE", path)
      await target().advance?.("3 seconds")
      const waiting = await eventually(shown, ({ reason }) => reason === "sending.no_verified_sender")
      expect(waiting.status).toBe("Queued")
      await manage(target(), "POST", `${path}/restore`)
      await eventually(shown, ({ status }) => status === "Delivered")
    })

    it("is erased after 30 days", async () => {
      const { advance } = target()
      if (advance === null) return
      const [erased, kept] = [await deletion("Erased"), await deletion("Kept")]
      await manage(target(), "DELETE", erased.path)
      await advance("29 days")
      expect((await manage<CompanyValue>(target(), "GET", erased.path)).value.deletedAt).not.toBeNull()
      await advance("25 hours")
      for (const path of [erased.path, `/accounts/${erased.workspace.live.accountId}`]) {
        expect((await manage(target(), "GET", path)).codes).toEqual(["common.not_found"])
      }
      expect((await manage(target(), "POST", `${erased.path}/restore`)).codes).toEqual(["common.not_found"])
      expect((await erased.workspace.sandbox.api("GET", "/topics")).status).toBe(401)
      expect((await target().fetch(erased.links.preferences)).status).toBe(404)
      expect((await manage(target(), "GET", kept.path)).status).toBe(200)
      expect((await target().fetch(kept.links.preferences)).status).toBe(200)
      const log = (await manage<Page<Entry>>(target(), "GET", "/audit-log?limit=200")).value.items
      expect(log.filter(({ action }) => action === "company.erased")).toMatchObject([
        { actor: { kind: "System" }, target: { id: erased.workspace.companyId } }
      ])
      expect(JSON.stringify(log.slice(0, 10))).not.toContain(erased.email)
    })
  })

  describe("an operator", () => {
    /** A browser in which an operator is signed in; null if the service has no operator to sign in. */
    const openOperator = async (): Promise<Browser | null> => {
      const { operatorCookie } = target()
      if (operatorCookie === null) return null
      const browser = openBrowser(target())
      const [, name, value] = /^([^=]+)=(.*)$/.exec(await operatorCookie())!
      browser.cookies.set(name!, value!)
      return browser
    }

    it("reads personal data of a live account only while access is open, which the company sees", async () => {
      const operator = await openOperator()
      if (operator === null) return
      const { companyId, live, sandbox } = await openWorkspace(target(), "Private")
      const path = `/companies/${companyId}/access`
      const contacts = async (accountId = live.accountId) => {
        const answer = await operator.send("GET", `/accounts/${accountId}/contacts`)
        return [answer.status, ...answer.codes]
      }
      const refused = [403, "users.access_required"]
      expect(await contacts()).toEqual(refused)
      expect(await contacts(sandbox.accountId)).toEqual([200])
      expect((await operator.send("GET", `/accounts/${live.accountId}/templates`)).status).toBe(200)
      for (const [body, fields] of [
        [{ reason: "Ticket", hours: 9 }, ["hours"]],
        [{ reason: "Ticket", hours: 0 }, ["hours"]],
        [{ reason: "Ticket", hours: 1.5 }, ["hours"]],
        [{ reason: " ", hours: 1 }, ["reason"]],
        [{ reason: "x".repeat(501), hours: 1 }, ["reason"]]
      ] as const) {
        const answer = await operator.send("POST", path, body)
        expect([body, answer.status, answer.fields]).toEqual([body, 400, fields])
      }
      const opened = await operator.send<{ until: string }>("POST", path, { reason: "Ticket 1", hours: 1 })
      expect(opened.status).toBe(201)
      // The rights have changed, so the session's id changes with the next call.
      const former = operator.cookies.get("svc_session")
      expect((await operator.send("GET", "/session")).status).toBe(200)
      expect(operator.cookies.get("svc_session")).not.toBe(former)
      expect(Math.round((Date.parse(opened.value.until) - target().now()) / 60_000)).toBe(60)
      expect(await contacts()).toEqual([200])
      // The same holds for the operator's personal token, which has the user's rights at the time of the call.
      const own = await operator.send<{ id: string; token: string }>("POST", "/me/tokens", {
        name: "Script",
        expiresInDays: 1
      })
      const byToken = async () => {
        const { token } = own.value
        const answer = await call(target(), "GET", `/manage/v1/accounts/${live.accountId}/contacts`, {
          token
        })
        return [answer.status, ...answer.codes]
      }
      expect(await byToken()).toEqual([200])
      expect(await entriesOf(companyId, "access")).toMatchObject([
        {
          action: "access.opened",
          actor: { kind: "User" },
          after: { reason: "Ticket 1", until: opened.value.until }
        }
      ])
      const other = await openWorkspace(target(), "Also private")
      expect(await contacts(other.live.accountId)).toEqual(refused)
      expect((await operator.send("DELETE", path)).status).toBe(200)
      expect(await contacts()).toEqual(refused)
      expect(await byToken()).toEqual(refused)
      await operator.send("DELETE", `/me/tokens/${own.value.id}`)
      expect((await operator.send("DELETE", path)).status).toBe(200)
      expect((await entriesOf(companyId, "access")).map(({ action }) => action)).toEqual([
        "access.closed",
        "access.opened"
      ])
      const { advance } = target()
      if (advance === null) return
      await operator.send("POST", path, { reason: "Ticket 2", hours: 1 })
      await advance("59 minutes")
      expect(await contacts()).toEqual([200])
      await advance("1 minute")
      expect(await contacts()).toEqual(refused)
    })

    it("needs no access for what a membership allows", async () => {
      const operator = await openOperator()
      if (operator === null) return
      const { accountId, companyId } = { ...(await ownCompany(operator)) }
      expect((await operator.send("GET", `/accounts/${accountId}/contacts`)).status).toBe(200)
      expect((await operator.send("GET", `/companies/${companyId}`)).status).toBe(200)
    })

    /** The company whose Owner is the embedded service's operator. */
    const ownCompany = async (operator: Browser) => {
      const { memberships } = (
        await operator.send<{ memberships: ReadonlyArray<{ company: { id: string } }> }>("GET", "/session")
      ).value
      const companyId = memberships[0]!.company.id
      const { live } = (
        await manage<{ live: { accountId: string } }>(target(), "GET", `/companies/${companyId}`)
      ).value
      return { companyId, accountId: live.accountId }
    }

    it("alone opens access: no member, and no token", async () => {
      const { companyId } = await openWorkspace(target(), "Closed")
      const { browser } = await joinCompany(target(), companyId, newAddress())
      const path = `/companies/${companyId}/access`
      const body = { reason: "Mine", hours: 1 }
      for (const method of ["POST", "DELETE"]) {
        expect((await browser.send(method, path, body)).codes).toEqual(["users.right_missing"])
        const sent = method === "POST" ? { json: body } : {}
        expect((await manage(target(), method, path, sent)).codes).toEqual(["users.right_missing"])
        expect((await call(target(), method, `/manage/v1${path}`, sent)).status).toBe(401)
      }
    })
  })
}
