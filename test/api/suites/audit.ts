/**
 * Tests the audit log (docs/contributing/people.md 6): the content of entries, filters, exports, and denied rights.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { goodPassword, joinCompany, openBrowser } from "../../support/browser.ts"
import { call, eventually } from "../../support/client.ts"
import type { Page } from "../../support/shapes.ts"
import type { ListPage } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type Workspace } from "../../support/workspace.ts"

interface AuditEntry {
  readonly id: string
  readonly actor: { readonly kind: string; readonly id: string | null; readonly name: string | null }
  readonly action: string
  readonly accountId: string | null
  readonly after: unknown
  readonly target: { readonly kind: string; readonly id: string; readonly name: string | null }
}

/** Tests of the audit log. */
export const auditSuite = (target: () => Target): void => {
  describe("the audit log", () => {
    let workspace: Workspace
    let token: { readonly id: string; readonly token: string }
    let own: string
    const from = { "x-forwarded-for": "203.0.113.77", "user-agent": "script/1.0" }
    const read = async (path: string, sent: { readonly token?: string } = {}) =>
      (await manage<Page<AuditEntry>>(target(), "GET", path, sent)).value.items

    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Audited")
      own = `/companies/${workspace.companyId}`
      const json = {
        name: "=script",
        rights: ["topics:write", "audit:read"],
        accounts: "Sandbox",
        expiresInDays: null
      }
      token = (await manage<typeof token>(target(), "POST", `${own}/tokens`, { json })).value
      const topic = { json: { key: "news", name: "News" }, token: token.token, headers: from }
      const accountPath = `/accounts/${workspace.sandbox.accountId}`
      expect((await manage(target(), "POST", `${accountPath}/topics`, topic)).status).toBe(201)
      for (const path of ["segments", "segments", "contacts/x/timeline"]) {
        await manage(target(), "GET", `${accountPath}/${path}`, { token: token.token, headers: from })
      }
    })

    it("names the token, its network and program, and the name of what was changed", async () => {
      const { accountId } = workspace.sandbox
      const [entry] = await read(`/accounts/${accountId}/audit-log?action=topic`)
      expect(entry).toMatchObject({
        actor: { kind: "Token", id: token.id, name: "=script" },
        sessionId: null,
        network: "203.0.113.77",
        userAgent: "script/1.0",
        companyId: workspace.companyId,
        accountId,
        action: "topic.created",
        target: { kind: "topic", name: "News" },
        before: null,
        outcome: "Done"
      })
    })

    it("names what was changed: by its name, its domain or its host", async () => {
      const { accountId, manage: manageOwn } = workspace.sandbox
      const domain = `named${target().now()}.example`
      await manageOwn("POST", "/domains", { domain })
      const url = "https://hooks.shop.example/named"
      await manageOwn("POST", "/webhooks", { url, events: ["email.bounced"] })
      const names = async (action: string) =>
        (await read(`/accounts/${accountId}/audit-log?action=${action}`)).map(({ target: { name } }) => name)
      expect(await names("domain.added")).toContain(domain)
      expect(await names("webhook.created")).toEqual(["hooks.shop.example"])
    })

    it("has each denied right once a minute", async () => {
      const denied = await read(`/accounts/${workspace.sandbox.accountId}/audit-log?outcome=Refused`)
      expect(denied).toMatchObject([
        {
          action: "right.denied",
          target: { id: "segments:read" },
          actor: { id: token.id },
          outcome: "Refused"
        }
      ])
    })

    it("has a denied right that the body of a call needs beyond the route's", async () => {
      const email = `audit-${target().now()}@people.example`
      const { browser } = await joinCompany(target(), workspace.companyId, email, "Owner")
      const { accountId } = workspace.live
      const limit = { json: { dailySendLimit: 1 } }
      const refused = await browser.send("PATCH", `/accounts/${accountId}/settings`, limit.json)
      expect([refused.status, refused.codes]).toEqual([403, ["users.right_missing"]])
      const made = { name: "Too much", rights: ["installation:read"], expiresInDays: 1 }
      expect((await browser.send("POST", `${own}/tokens`, made)).status).toBe(400)
      const denied = await read(`/accounts/${accountId}/audit-log?outcome=Refused`)
      expect(denied).toMatchObject([{ action: "right.denied", target: { id: "companies:write" } }])
    })

    it("of a company has its own entries and those of the accounts that the caller may read", async () => {
      const actions = new Set((await read(`${own}/audit-log?limit=200`)).map(({ action }) => action))
      expect([...actions]).toEqual(
        expect.arrayContaining(["token.created", "topic.created", "account.created"])
      )
      const seen = await read(`${own}/audit-log?limit=200`, { token: token.token })
      const accounts = new Set(seen.map(({ accountId }) => accountId))
      expect([...accounts].toSorted()).toEqual([null, workspace.sandbox.accountId].toSorted())
      const [created] = await read(`/audit-log?action=token.created&limit=1`)
      expect(created).toMatchObject({ accountId: null, target: { kind: "token" } })
    })

    it("has sign-ins, and failed ones counted by the minute, in the logs of the user's companies", async () => {
      const { companyId } = await openWorkspace(target(), "Signing in")
      const email = `audited-${Date.now().toString(36)}@people.example`
      const { browser, userId } = await joinCompany(target(), companyId, email)
      const signIn = (address: string, password: string) =>
        openBrowser(target(), { "x-forwarded-for": "203.0.113.78" }).send("POST", "/session/password", {
          email: address,
          password
        })
      for (const password of ["wrong-1", "wrong-2", "wrong-3"]) await signIn(email, password)
      await signIn(`unknown-${email}`, "wrong")
      await signIn(email, goodPassword)
      const opened = await read(`/companies/${companyId}/audit-log?action=session.opened`)
      expect(opened[0]).toMatchObject({
        actor: { kind: "User", id: userId },
        network: "203.0.113.78",
        outcome: "Done"
      })
      const failed = await read(`/companies/${companyId}/audit-log?action=session.refused`)
      expect(failed.every(({ target: { id } }) => id === userId)).toBe(true)
      expect(failed.length).toBeLessThanOrEqual(2)
      const counts = failed.map(({ after }) => (after as { count: number }).count)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3)
      expect(failed[0]).toMatchObject({ network: "203.0.113.78", outcome: "Refused" })
      const unknown = await read("/audit-log?action=session.refused&target=unknown")
      expect(unknown.length).toBeGreaterThan(0)
      expect(JSON.stringify(await read("/audit-log?action=session"))).not.toContain(email)
      expect((await browser.send("GET", "/session")).status).toBe(200)
    })

    it("names the session, the network and the browser of what users change of themselves", async () => {
      const email = `own-${Date.now().toString(36)}@people.example`
      const { browser, userId } = await joinCompany(target(), workspace.companyId, email)
      const sent = { headers: from }
      const [current] = (await browser.send<ListPage<{ id: string }>>("GET", "/me/sessions")).value.items
      expect((await browser.send("PATCH", "/me", { name: "Other" }, sent)).status).toBe(200)
      const json = { name: "Own", expiresInDays: 1 }
      expect((await browser.send("POST", "/me/tokens", json, sent)).status).toBe(201)
      expect((await browser.send("DELETE", "/session", undefined, sent)).status).toBe(200)
      for (const action of ["user.changed", "token.created", "session.closed"]) {
        const entries = await read(`/audit-log?action=${action}&actor=${userId}`)
        expect([action, entries]).toMatchObject([
          action,
          [
            {
              actor: { kind: "User", id: userId },
              sessionId: current!.id,
              network: "203.0.113.77",
              userAgent: "script/1.0"
            }
          ]
        ])
      }
    })

    it("has each read of an email's content", async () => {
      const { sandbox } = workspace
      const { id } = (
        await sandbox.api<{ id: string }>("POST", "/sending/emails", {
          to: "reader@people.example",
          subject: "Secret",
          text: "Text"
        })
      ).value
      await eventually(
        async () => (await sandbox.api<{ status: string }>("GET", `/sending/emails/${id}`)).value.status,
        (status) => status === "Delivered"
      )
      const base = `/accounts/${sandbox.accountId}`
      const inbox = (await manage<Page<{ id: string }>>(target(), "GET", `${base}/inbox`)).value.items
      const entries = () => read(`${base}/audit-log?action=email.content_read`)
      expect(await entries()).toEqual([])
      const message = inbox[0]!.id
      for (const path of [`inbox/${message}`, `inbox/${message}/raw`]) {
        await manage(target(), "GET", `${base}/${path}`)
      }
      await manage(target(), "GET", `${base}/inbox/01890a5d-ac96-774b-bcce-b302099a8057`)
      const found = await entries()
      // One entry per minute.
      expect([1, 2]).toContain(found.length)
      expect(found.every(({ target: { id: what } }) => what === message)).toBe(true)
    })

    it("is filtered by actor, action, target, outcome, network and time, and rejects other filters", async () => {
      const base = `/accounts/${workspace.sandbox.accountId}/audit-log`
      const count = async (filter: string) => (await read(`${base}?${filter}`)).length
      expect(await count(`actor=${token.id}`)).toBe(2)
      expect(await count(`actor=${token.id}&outcome=Done`)).toBe(1)
      expect(await count("network=203.0.113.77")).toBe(2)
      expect(await count("actorKind=User")).toBe(0)
      for (const action of ["top", "%25", "topic_", "topic%5C"]) {
        expect([action, await count(`action=${action}`)]).toEqual([action, 0])
      }
      expect(await count("target=segments:read")).toBe(1)
      expect(
        await count(`since=${encodeURIComponent(new Date(target().now() + 86_400_000).toISOString())}`)
      ).toBe(0)
      for (const filter of ["outcome=Maybe", "actor=x", "who=me", "since=now"]) {
        expect([filter, (await manage(target(), "GET", `${base}?${filter}`)).status]).toEqual([filter, 400])
      }
    })

    it("is exported as lines of JSON and as CSV without formulas, which is an entry itself", async () => {
      const download = async (format: string) => {
        const path = `/manage/v1${own}/audit-log/export?format=${format}`
        const response = await target().fetch(path, {
          headers: { authorization: `Bearer ${target().managementToken}` }
        })
        return [response.status, response.headers.get("content-type"), await response.text()] as const
      }
      const [status, type, lines] = await download("Ndjson")
      expect([status, type]).toEqual([200, "application/x-ndjson; charset=utf-8"])
      const entries = lines
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as AuditEntry)
      expect(entries).toEqual(
        (await read(`${own}/audit-log?limit=200`)).filter(({ action }) => action !== "audit_log.exported")
      )
      const [, csvType, csv] = await download("Csv")
      expect(csvType).toBe("text/csv; charset=utf-8")
      expect(csv.split("\r\n")[0]).toMatch(/^id,at,actorKind,actorId,actorName,/)
      expect(csv).toContain(",'=script,")
      expect(await read(`${own}/audit-log?action=audit_log.exported`)).toHaveLength(2)
      const unnamed = await call(target(), "GET", `/manage/v1${own}/audit-log/export`, {
        token: target().managementToken
      })
      expect(unnamed.status).toBe(400)
    })
  })
}
