/**
 * Tests the management API of keys, and the audit log (docs/contributing/management-api.md).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call } from "../../support/client.ts"
import { dateTimePattern, type Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { allPermissions, type IssuedKey, openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface ListedKey {
  readonly id: string
  readonly name: string
  readonly display: string
  readonly permissions: ReadonlyArray<string>
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
}

interface AuditEntry {
  readonly at: string
  readonly actor: { readonly kind: string; readonly id: string | null; readonly name: string | null }
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string; readonly name: string | null }
  readonly before: unknown
  readonly after: unknown
}

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"
const dayMillis = 86_400_000

export const managementKeysSuite = (target: () => Target) =>
  describe("management of keys", () => {
    describe("API keys", () => {
      let account: TestAccount
      beforeAll(async () => {
        account = (await openWorkspace(target(), "Keys")).sandbox
      })
      const list = async () => (await account.manage<ReadonlyArray<ListedKey>>("GET", "/api-keys")).value
      const make = (json: unknown) => account.manage<IssuedKey>("POST", "/api-keys", json)

      it("returns a key once, and its first and last characters afterwards", async () => {
        const answer = await make({ name: " My key ", permissions: ["emails:send"], expiresInDays: 90 })
        expect(answer.status).toBe(201)
        const { expiresAt, id, key } = answer.value
        expect(answer.value).toEqual({ id, name: "My key", key, permissions: ["emails:send"], expiresAt })
        expect(key).toMatch(/^svc_test_[0-9A-Za-z]{49}$/)
        expect(Math.abs(Date.parse(expiresAt!) - target().now() - 90 * dayMillis)).toBeLessThan(60_000)
        const listing = await account.manage<ReadonlyArray<ListedKey>>("GET", "/api-keys")
        expect(listing.text).not.toContain(key)
        expect(listing.text).not.toContain(key.slice(12, -4))
        expect(listing.value.find((entry) => entry.id === id)).toEqual({
          id,
          name: "My key",
          display: `${key.slice(0, 12)}...${key.slice(-4)}`,
          permissions: ["emails:send"],
          expiresAt,
          lastUsedAt: null,
          revokedAt: null
        })
      })

      it("has a separate prefix for live accounts", async () => {
        const answer = await (await openWorkspace(target(), "Live keys")).live.issueKey(["emails:send"])
        expect(answer.key).toMatch(/^svc_live_[0-9A-Za-z]{49}$/)
        expect(answer.expiresAt).toBeNull()
      })

      it("records when a key was last used, and when it was revoked", async () => {
        const key = await account.issueKey(["contacts:read"])
        await call(target(), "GET", "/api/v1/contacts/ext:1", { token: key.key })
        const used = (await list()).find((entry) => entry.id === key.id)!
        expect(used.lastUsedAt).toMatch(dateTimePattern)
        expect(Math.abs(Date.parse(used.lastUsedAt!) - target().now())).toBeLessThan(120_000)
        const answer = await account.manage("DELETE", `/api-keys/${key.id}`)
        expect(answer.status).toBe(200)
        expect(answer.value).toBeNull()
        const revoked = (await list()).find((entry) => entry.id === key.id)!
        expect(revoked.revokedAt).toMatch(dateTimePattern)
        expect((await account.manage("DELETE", `/api-keys/${key.id}`)).status).toBeLessThan(500)
        expect((await list()).find((entry) => entry.id === key.id)).toEqual(revoked)
      })

      it.each<readonly [string, Readonly<Record<string, unknown>>]>([
        ["name", { name: "x" }],
        ["name", { name: "  x  " }],
        ["name", { name: "x".repeat(101) }],
        ["permissions[1]", { permissions: ["emails:send", "emails:everything"] }],
        ["permissions", { permissions: [] }],
        ["permissions", { permissions: "emails:send" }],
        ["expiresInDays", { expiresInDays: 31 }],
        ["expiresInDays", { expiresInDays: 0 }],
        ["expiresInDays", { expiresInDays: "30" }],
        ["expiresInDays", { expiresInDays: undefined }]
      ])("rejects an invalid %s: %j", async (field, change) => {
        const answer = await make({
          name: "Key",
          permissions: ["emails:send"],
          expiresInDays: null,
          ...change
        })
        expect(answer.status).toBe(400)
        expect(answer.fields).toEqual([field])
      })

      it("accepts names of 2 and of 100 characters", async () => {
        for (const name of ["ab", "x".repeat(100)]) {
          const answer = await make({ name, permissions: ["emails:send"], expiresInDays: 30 })
          expect(answer.value.name).toBe(name)
          await account.manage("DELETE", `/api-keys/${answer.value.id}`)
        }
      })

      it("issues at most ten active keys, also in concurrent calls", async () => {
        const { sandbox } = await openWorkspace(target(), "Ten keys")
        const request = { name: "Key", permissions: allPermissions, expiresInDays: null }
        const answers = await Promise.all(
          Array.from({ length: 15 }, () => sandbox.manage<IssuedKey>("POST", "/api-keys", request))
        )
        const made = answers.filter((answer) => answer.status === 201)
        expect(made).toHaveLength(9)
        const { status, codes } = answers.find((answer) => answer.status !== 201)!
        expect([status, codes.length]).toEqual([400, 1])
        await sandbox.manage("DELETE", `/api-keys/${made[0]!.value.id}`)
        expect((await sandbox.manage("POST", "/api-keys", request)).status).toBe(201)
        expect((await sandbox.manage("POST", "/api-keys", request)).status).toBe(400)
      })
    })

    describe("the audit log", () => {
      it("has an entry for each change, newest first, and no secret", async () => {
        const { sandbox } = await openWorkspace(target(), "Audit")
        const key = await sandbox.issueKey(["emails:send"], 30)
        await sandbox.manage("DELETE", `/api-keys/${key.id}`)
        const domain = await sandbox.manage<{ id: string }>("POST", "/domains", { domain: "audit.example" })
        await sandbox.manage("DELETE", `/domains/${domain.value.id}`)
        await sandbox.manage("POST", "/suppressions", { email: "secret@audit.example", kind: "Bounced" })
        await sandbox.manage("DELETE", "/suppressions/secret@audit.example")
        await sandbox.manage("PATCH", "/settings", { retentionDays: 7 })
        const log = await sandbox.manage<Page<AuditEntry>>("GET", "/audit-log")
        const { items, totalCount } = log.value
        // These include what creating the workspace did: account, rate setting, key, domain, sender.
        expect(items).toHaveLength(12)
        expect(totalCount).toBe(12)
        for (const entry of items) {
          expect(Object.keys(entry).toSorted()).toEqual([
            "accountId",
            "action",
            "actor",
            "after",
            "at",
            "before",
            "companyId",
            "id",
            "network",
            "outcome",
            "sessionId",
            "target",
            "userAgent"
          ])
          expect(entry.at).toMatch(dateTimePattern)
          expect(entry.actor.kind).toMatch(/^(Token|System)$/)
          expect(entry.action).toMatch(/^[a-z_]+\.[a-z_]+$/)
        }
        expect(items.map((entry) => entry.at)).toEqual(
          items
            .map((entry) => entry.at)
            .toSorted()
            .toReversed()
        )
        expect(items[0]).toMatchObject({ before: { retentionDays: 30 }, after: { retentionDays: 7 } })
        expect(items[3]).toMatchObject({ target: { id: domain.value.id }, after: null })
        expect(items[4]).toMatchObject({ target: { id: domain.value.id }, before: null })
        expect(items[5]).toMatchObject({ target: { id: key.id } })
        expect(items[6]).toMatchObject({
          target: { id: key.id },
          before: null,
          after: { permissions: ["emails:send"], expiresAt: key.expiresAt }
        })
        for (const secret of [key.key, key.key.slice(12, -4), sandbox.key, target().managementToken]) {
          expect(log.text).not.toContain(secret)
        }
      })

      it("has no entry for rejected calls and reads", async () => {
        const { live } = await openWorkspace(target(), "Quiet")
        const count = async () => (await live.manage<Page<AuditEntry>>("GET", "/audit-log")).value.totalCount
        const before = await count()
        await live.manage("PATCH", "/settings", { retentionDays: 0 })
        await live.manage("POST", "/domains", { domain: "not a domain" })
        await live.manage("POST", "/api-keys", { name: "x", permissions: [], expiresInDays: null })
        await live.manage("DELETE", `/api-keys/${unknownId}`)
        await live.manage("GET", "/api-keys")
        expect(await count()).toBe(before)
      })
    })
  })
