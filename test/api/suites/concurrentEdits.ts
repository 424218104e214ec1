/**
 * Tests concurrent edits in the management API: ETag, If-Match, and who last changed what.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { call } from "../../support/client.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface Edited {
  readonly id: string
  readonly name: string
  readonly updatedAt: string
  readonly updatedBy: {
    readonly kind: string
    readonly id: string | null
    readonly name: string | null
  } | null
}

const management = { kind: "Token", id: null, name: "management" }

const definition = { join: "All", rules: [] }
const flow = (name: string) => ({ name, trigger: { kind: "Api" }, stopEvents: [], steps: [] })

/** Resources that people edit, with their routes and how they are created and changed. */
const resources = [
  {
    kind: "flow",
    path: "/flows",
    made: flow("First"),
    method: "PUT",
    change: flow,
    isDeletable: false
  },
  {
    kind: "template",
    path: "/templates",
    made: { name: "First", subject: "Hello", text: "Hello" },
    method: "PATCH",
    change: (name: string) => ({ name }),
    isDeletable: true
  },
  {
    kind: "segment",
    path: "/segments",
    made: { name: "First", definition },
    method: "PATCH",
    change: (name: string) => ({ name }),
    isDeletable: true
  }
] as const

export const concurrentEditsSuite = (target: () => Target) =>
  describe("concurrent edits", () => {
    const conditional = (
      account: TestAccount,
      method: string,
      path: string,
      ifMatch: string,
      json?: unknown
    ) =>
      manage<Edited>(target(), method, `/accounts/${account.accountId}${path}`, {
        headers: { "if-match": ifMatch },
        ...(json === undefined ? {} : { json })
      })

    it.each(resources)(
      "change a $kind only in the version that the caller read",
      async ({ change, isDeletable, made, method, path }) => {
        const { sandbox: account } = await openWorkspace(target(), "Edits")
        const created = await account.manage<Edited>("POST", path, made)
        const one = `${path}/${created.value.id}`
        const read = await account.manage<Edited>("GET", one)
        const tag = read.headers.get("etag")!
        expect(tag).toMatch(/^"[^"]+"$/)
        expect(created.headers.get("etag")).toBe(tag)
        expect(read.value.updatedBy).toEqual(management)
        expect((await account.manage("GET", one)).headers.get("etag")).toBe(tag)

        const changed = await conditional(account, method, one, tag, change("Second"))
        const next = changed.headers.get("etag")!
        expect(changed.status).toBe(200)
        expect(next).toMatch(/^"[^"]+"$/)
        expect(next).not.toBe(tag)
        expect((await account.manage("GET", one)).headers.get("etag")).toBe(next)

        const stale = await conditional(account, method, one, tag, change("Third"))
        expect([stale.status, stale.codes, stale.headers.get("etag")]).toEqual([
          412,
          ["common.edited_meanwhile"],
          next
        ])
        const { updatedAt, updatedBy } = changed.value
        expect(stale.envelope?.errors[0]?.details).toEqual({ etag: next, updatedAt, updatedBy })
        expect((await account.manage<Edited>("GET", one)).value).toEqual(changed.value)

        // A proxy that compresses responses turns their ETags into weak ones.
        expect((await conditional(account, method, one, `W/${next}`, change("Third"))).status).toBe(200)
        expect((await conditional(account, method, one, "*", change("Fourth"))).status).toBe(200)
        expect((await account.manage(method, one, change("Fifth"))).status).toBe(200)

        if (!isDeletable) return
        expect((await conditional(account, "DELETE", one, next)).codes).toEqual(["common.edited_meanwhile"])
        const last = (await account.manage<Edited>("GET", one)).headers.get("etag")!
        expect((await conditional(account, "DELETE", one, last)).status).toBe(200)
        expect((await conditional(account, "DELETE", one, last)).codes).toEqual(["common.not_found"])
      }
    )

    it("change settings only in the version that the caller read", async () => {
      const { sandbox: account } = await openWorkspace(target(), "Edited settings")
      const read = await account.manage<Edited>("GET", "")
      const tag = read.headers.get("etag")!
      expect(read.value.updatedBy).toEqual(management)
      const changed = await conditional(account, "PATCH", "/settings", tag, { retentionDays: 7 })
      const next = changed.headers.get("etag")!
      const stale = await conditional(account, "PATCH", "/settings", tag, { retentionDays: 8 })
      expect([stale.status, stale.headers.get("etag")]).toEqual([412, next])
      const after = await account.manage<{ readonly settings: { readonly retentionDays: number } }>("GET", "")
      expect([after.value.settings.retentionDays, after.headers.get("etag")]).toEqual([7, next])
      // A request that changes nothing creates no new version.
      const same = await conditional(account, "PATCH", "/settings", next, { retentionDays: 7 })
      expect([same.status, same.headers.get("etag")]).toEqual([200, next])
    })

    it("let one of several writers who read the same version change it", async () => {
      const { sandbox: account } = await openWorkspace(target(), "Writers")
      const { headers, value } = await account.manage<Edited>("POST", "/templates", resources[1].made)
      const one = `/templates/${value.id}`
      const writers = ["A", "B", "C", "D", "E"].map((name) =>
        conditional(account, "PATCH", one, headers.get("etag")!, { name })
      )
      const answers = await Promise.all(writers)
      const won = answers.filter(({ status }) => status === 200)
      expect(won).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 412)).toHaveLength(4)
      expect((await account.manage<Edited>("GET", one)).value.name).toBe(won[0]!.value.name)
    })

    it("let only one of a change and a deletion of the same version succeed", async () => {
      const { sandbox: account } = await openWorkspace(target(), "Deleted meanwhile")
      const { headers, value } = await account.manage<Edited>("POST", "/segments", resources[2].made)
      const tag = headers.get("etag")!
      const one = `/segments/${value.id}`
      const [change, deletion] = await Promise.all([
        conditional(account, "PATCH", one, tag, { name: "Changed" }),
        conditional(account, "DELETE", one, tag)
      ])
      expect([
        [200, 412],
        [404, 200]
      ]).toContainEqual([change.status, deletion.status])
    })

    it("do not take counters for a change", async () => {
      const { sandbox: account } = await openWorkspace(target(), "Counted meanwhile")
      const { headers, value } = await account.manage<Edited>("POST", "/segments", resources[2].made)
      await account.api("POST", "/contacts", { email: "counted@example.com" })
      const read = await account.manage<Edited & { readonly count: number }>("GET", `/segments/${value.id}`)
      expect([read.value.count, read.headers.get("etag")]).toEqual([1, headers.get("etag")])
    })

    it.each(["abc", "", '"a', '"a", "b"', "W/abc", 'w/"a"', "**", `"${"x".repeat(300)}"`])(
      "reject the malformed If-Match %j",
      async (ifMatch) => {
        const account = target().sandbox
        const answer = await call(target(), "PATCH", `/manage/v1/accounts/${account.accountId}/settings`, {
          token: target().managementToken,
          headers: { "if-match": ifMatch },
          json: {}
        })
        expect([answer.status, answer.codes, answer.fields]).toEqual([
          400,
          ["validation.format"],
          ["If-Match"]
        ])
      }
    )
  })
