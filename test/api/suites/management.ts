/**
 * Tests the management API (docs/contributing/management-api.md): its routes, companies, accounts, settings, health and metrics.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call } from "../../support/client.ts"
import { idPattern, type Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type Workspace } from "../../support/workspace.ts"

interface Company {
  readonly id: string
  readonly name: string
  readonly live: { readonly accountId: string }
  readonly sandbox: { readonly accountId: string }
}

type Settings = Readonly<Record<string, unknown>>

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

export const managementSuite = (target: () => Target) =>
  describe("management", () => {
    let workspace: Workspace
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Management")
    })

    /** The routes of an account and those outside accounts. */
    const routes = (accountId: string): ReadonlyArray<readonly [string, string]> => [
      ["POST", "/manage/v1/companies"],
      ["GET", "/manage/v1/companies"],
      ["GET", `/manage/v1/accounts/${accountId}`],
      ["PATCH", `/manage/v1/accounts/${accountId}/settings`],
      ["POST", `/manage/v1/accounts/${accountId}/api-keys`],
      ["GET", `/manage/v1/accounts/${accountId}/api-keys`],
      ["DELETE", `/manage/v1/accounts/${accountId}/api-keys/${unknownId}`],
      ["POST", `/manage/v1/accounts/${accountId}/domains`],
      ["GET", `/manage/v1/accounts/${accountId}/domains`],
      ["POST", `/manage/v1/accounts/${accountId}/domains/${unknownId}/verify`],
      ["DELETE", `/manage/v1/accounts/${accountId}/domains/${unknownId}`],
      ["POST", `/manage/v1/accounts/${accountId}/suppressions`],
      ["GET", `/manage/v1/accounts/${accountId}/suppressions`],
      ["DELETE", `/manage/v1/accounts/${accountId}/suppressions/a@b.example`],
      ["GET", `/manage/v1/accounts/${accountId}/emails`],
      ["GET", `/manage/v1/accounts/${accountId}/inbox`],
      ["GET", `/manage/v1/accounts/${accountId}/inbox/${unknownId}`],
      ["GET", `/manage/v1/accounts/${accountId}/inbox/${unknownId}/raw`],
      ["GET", `/manage/v1/accounts/${accountId}/audit-log`],
      ["GET", `/manage/v1/accounts/${accountId}/contacts/${unknownId}/consent-history`],
      ["GET", "/metrics"]
    ]

    it("returns 401 on every route without the token, whatever else is sent", async () => {
      const { managementToken } = target()
      const wrong = [
        undefined,
        "",
        "x",
        managementToken.slice(0, -1),
        `${managementToken}x`,
        workspace.sandbox.key
      ]
      for (const [method, path] of routes(workspace.sandbox.accountId)) {
        for (const token of wrong) {
          const answer = await call(target(), method, path, {
            token,
            ...(method === "POST" ? { body: "{" } : {})
          })
          expect([method, path, answer.status]).toEqual([method, path, 401])
        }
      }
    })

    it("returns 404 on every route of an unknown account", async () => {
      const bodies: Readonly<Record<string, unknown>> = {
        settings: {},
        "api-keys": { name: "Key", permissions: ["emails:send"], expiresInDays: null },
        domains: { domain: "a.example" },
        suppressions: { email: "a@b.example", kind: "Bounced" }
      }
      for (const accountId of [unknownId, "17", workspace.companyId]) {
        for (const [method, path] of routes(accountId).filter(([, route]) => route.includes("/accounts/"))) {
          const json = bodies[path.split("/").at(-1)!] ?? {}
          const answer = await call(target(), method, path, {
            token: target().managementToken,
            ...(method === "POST" || method === "PATCH" ? { json } : {})
          })
          expect([method, path, answer.status, answer.codes]).toEqual([
            method,
            path,
            404,
            ["common.not_found"]
          ])
        }
      }
    })

    it("returns 404 for unknown resources of an account, and another account's", async () => {
      const { live, sandbox } = workspace
      const key = await sandbox.issueKey()
      const domains = await sandbox.manage<Page<{ id: string }>>("GET", "/domains")
      const domain = domains.value.items[0]!
      const contact = await sandbox.api<{ contact: { id: string } }>("POST", "/contacts", {
        email: "m@b.example"
      })
      for (const [method, path] of [
        ["DELETE", `/api-keys/${key.id}`],
        ["DELETE", `/domains/${domain.id}`],
        ["POST", `/domains/${domain.id}/verify`],
        ["GET", `/contacts/${contact.value.contact.id}/consent-history`],
        ["DELETE", `/api-keys/${unknownId}`],
        ["DELETE", "/api-keys/17"],
        ["DELETE", `/domains/${unknownId}`],
        ["POST", "/domains/17/verify"],
        ["GET", "/contacts/17/consent-history"],
        ["DELETE", "/suppressions/nobody@b.example"],
        ["DELETE", "/suppressions/17"],
        ["GET", "/inbox"],
        ["GET", `/inbox/${unknownId}`],
        ["GET", `/inbox/${unknownId}/raw`]
      ] as const) {
        const answer = await live.manage(method, path)
        expect([method, path, answer.status, answer.codes]).toEqual([method, path, 404, ["common.not_found"]])
      }
      expect((await call(target(), "GET", "/api/v1/contacts/ext:1", { token: key.key })).status).toBe(404)
      await sandbox.manage("DELETE", `/api-keys/${key.id}`)
    })

    describe("companies and accounts", () => {
      it("creates a company with a live and a sandbox account", async () => {
        const answer = await manage<Company>(target(), "POST", "/companies", {
          json: { name: "  Ada & Söhne  " }
        })
        expect(answer.status).toBe(201)
        const { id, live, sandbox } = answer.value
        expect(answer.value).toEqual({ id, name: "Ada & Söhne", live, sandbox })
        expect(Object.keys(live)).toEqual(["accountId"])
        for (const [account, mode] of [
          [live, "Live"],
          [sandbox, "Sandbox"]
        ] as const) {
          expect(account.accountId).toMatch(idPattern)
          const read = await manage<Record<string, unknown>>(
            target(),
            "GET",
            `/accounts/${account.accountId}`
          )
          expect(read.value).toMatchObject({ id: account.accountId, companyId: id, mode })
          expect(Object.keys(read.value).toSorted()).toEqual([
            "companyId",
            "id",
            "mode",
            "name",
            "settings",
            "updatedAt",
            "updatedBy"
          ])
          expect(read.value["settings"]).toEqual({
            autoCreateAttributes: false,
            tracking: { opens: false, clicks: false },
            flowTracking: { opens: true, clicks: true },
            contactLimit: null,
            dailySendLimit: null,
            retentionDays: 30,
            recipientRetentionDays: 365,
            defaultSender: null,
            conversionWindowDays: 5,
            preserveSigned: false,
            rateLimitPerMinute: 600,
            requestLogDays: 7,
            language: "en",
            reviewFirst: 0,
            trapLink: false,
            standingHolds: true,
            pools: { transactional: "default", marketing: "default" },
            requireTls: false,
            keepErased: false,
            timeZone: "UTC",
            timeZoneAttribute: null,
            quietHours: null,
            marketingCaps: [],
            holdoutPercent: 0,
            transactionalReservePercent: 10,
            campaignTracking: { opens: true, clicks: true },
            campaignLimits: { complaintPercent: 0.3, bouncePercent: 5, renderFailurePercent: 5 },
            campaignApproval: { required: false, above: 0 },
            testAddresses: [],
            archive: {
              enabled: false,
              title: null,
              description: null,
              url: expect.stringContaining(`${target().baseUrl}/a/`)
            },
            delivery: null
          })
        }
      })

      it.each(["", "   ", "a\u0000b"])("refuses the name %j", async (name) => {
        const answer = await manage(target(), "POST", "/companies", { json: { name } })
        expect(answer.status).toBe(400)
        expect(answer.fields).toEqual(["name"])
      })

      it("lists companies, newest first, in pages", async () => {
        const names = ["Page 1", "Page 2", "Page 3"]
        for (const name of names) await manage(target(), "POST", "/companies", { json: { name } })
        const list = (query: string) => manage<Page<Company>>(target(), "GET", `/companies${query}`)
        const all = (await list("")).value
        expect(all).toMatchObject({ page: 1, pageSize: 50 })
        expect(all.totalCount).toBeGreaterThanOrEqual(5)
        expect(all.items.slice(0, 3).map((company) => company.name)).toEqual(names.toReversed())
        const second = (await list("?page=2&pageSize=1")).value
        expect(second).toMatchObject({
          items: [all.items[1]],
          page: 2,
          pageSize: 1,
          totalCount: all.totalCount
        })
        expect((await list("?page=2147483647&pageSize=200")).value.items).toEqual([])
      })

      it.each([
        "page=0",
        "page=-1",
        "page=x",
        "page=1.5",
        "page=99999999999999999999",
        "pageSize=0",
        "pageSize=201",
        "pageSize=1e2",
        "pageSize=NaN"
      ])("rejects %s", async (query) => {
        const { accountId } = workspace.sandbox
        for (const list of ["domains", "suppressions", "emails", "inbox", "audit-log"]) {
          const answer = await manage(target(), "GET", `/accounts/${accountId}/${list}?${query}`)
          expect(answer.status).toBe(400)
          expect(answer.fields).toEqual([query.split("=")[0]])
        }
      })
    })

    describe("settings", () => {
      it("changes what is given and returns all of them", async () => {
        const { live } = workspace
        const before = (await live.manage<{ settings: Settings }>("GET", "")).value.settings
        const change = {
          autoCreateAttributes: true,
          tracking: { opens: true, clicks: false },
          contactLimit: 10,
          dailySendLimit: 100,
          retentionDays: 1,
          recipientRetentionDays: 2,
          defaultSender: { email: "Me@Live.Example", name: " Me " }
        }
        const answer = await live.manage<Settings>("PATCH", "/settings", change)
        expect(answer.status).toBe(200)
        const expected = { ...before, ...change, defaultSender: { email: "me@live.example", name: "Me" } }
        expect(answer.value).toEqual(expected)
        expect((await live.manage<{ settings: Settings }>("GET", "")).value.settings).toEqual(expected)
        expect((await live.manage<Settings>("PATCH", "/settings", {})).value).toEqual(expected)
        const cleared = { contactLimit: null, dailySendLimit: null, defaultSender: null }
        expect((await live.manage("PATCH", "/settings", cleared)).value).toEqual({ ...expected, ...cleared })
      })

      it.each([
        { retentionDays: 0 },
        { retentionDays: 1.5 },
        { recipientRetentionDays: -1 },
        { rateLimitPerMinute: 0 },
        { reviewFirst: -1 },
        { reviewFirst: 1.5 },
        { reviewFirst: 10_001 },
        { contactLimit: -1 },
        { dailySendLimit: -1 },
        { defaultSender: { email: "nobody", name: null } },
        { defaultSender: { email: "a@b.example", name: "a\r\nBcc: x@y.example" } },
        { retentionDays: null },
        { timeZoneAttribute: "nowhere" },
        { campaignLimits: { complaintPercent: -0.1, bouncePercent: null, renderFailurePercent: null } },
        { tracking: { opens: true } },
        { autoCreateAttributes: "yes" }
      ])("rejects %j and changes nothing", async (change) => {
        const { live } = workspace
        const before = await live.manage("GET", "")
        const answer = await live.manage("PATCH", "/settings", {
          ...change,
          flowTracking: { opens: false, clicks: false }
        })
        expect(answer.status).toBe(400)
        expect(answer.fields[0]).toContain(Object.keys(change)[0])
        expect((await live.manage("GET", "")).value).toEqual(before.value)
      })
    })

    describe("the setting timeZoneAttribute", () => {
      it("takes the key of a contact field of texts, archived or not", async () => {
        const { sandbox } = workspace
        const set = (timeZoneAttribute: string | null) =>
          sandbox.manage<Settings>("PATCH", "/settings", { timeZoneAttribute })
        await sandbox.api("POST", "/contact-attributes", { key: "seats_zone", type: "Number" })
        await sandbox.api("POST", "/contact-attributes", { key: "time_zone", type: "Text" })
        const ofNumbers = await set("seats_zone")
        expect([ofNumbers.codes, ofNumbers.fields]).toEqual([
          ["audience.attribute_type_mismatch"],
          ["timeZoneAttribute"]
        ])
        const unknown = await set("Time Zone")
        expect([unknown.codes, unknown.fields]).toEqual([
          ["audience.attribute_unknown"],
          ["timeZoneAttribute"]
        ])
        expect((await set("time_zone")).value).toMatchObject({ timeZoneAttribute: "time_zone" })
        await sandbox.api("PATCH", "/contact-attributes/time_zone", { archived: true })
        expect((await set(null)).value).toMatchObject({ timeZoneAttribute: null })
        expect((await set("time_zone")).value).toMatchObject({ timeZoneAttribute: "time_zone" })
        expect((await set(null)).status).toBe(200)
      })
    })

    describe("health and metrics", () => {
      it("reports that it is live and ready, without a token", async () => {
        for (const path of ["/health/live", "/health/ready"]) {
          const answer = await call(target(), "GET", path)
          expect(answer.status).toBe(200)
          expect(answer.envelope).not.toBeNull()
        }
      })

      it("returns metrics in Prometheus' text format", async () => {
        expect((await call(target(), "GET", "/metrics", { token: "x" })).status).toBe(401)
        const answer = await call(target(), "GET", "/metrics", { token: target().managementToken })
        expect(answer.status).toBe(200)
        expect(answer.headers.get("content-type")).toMatch(/^text\/plain/)
        for (const line of answer.text.split("\n")) {
          expect(line).toMatch(
            /^(# (HELP|TYPE) .*|[a-zA-Z_:][\w:]*(\{.*\})? (-?[\d.e+-]+|[+-]Inf|NaN)( \d+)?|)$/
          )
        }
        expect(answer.text).toMatch(/^[a-z_]+\{.*status="401".*\} \d+$/m)
        expect(answer.text).not.toContain(target().managementToken)
      })
    })
  })
