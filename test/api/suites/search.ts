/**
 * Tests the search across an account (docs/management-api.md).
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { mailOf } from "../../support/mail.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface Found {
  readonly kind: string
  readonly id: string
  readonly title: string
  readonly detail: string | null
}

export const searchSuite = (target: () => Target) =>
  describe("the search", () => {
    const search = async (account: TestAccount, q: string, token?: string) => {
      const path = `/accounts/${account.accountId}/search?q=${encodeURIComponent(q)}`
      const answer = await manage<{ readonly items: ReadonlyArray<Found> }>(
        target(),
        "GET",
        path,
        token === undefined ? {} : { token }
      )
      return answer.value.items
    }

    it("finds what an account has by id, address, name and Message-ID, and shows each only to who may list it", async () => {
      const { companyId, sandbox: account } = await openWorkspace(target(), "Searched")
      const made = async (path: string, json: unknown) =>
        (await account.manage<{ readonly id: string }>("POST", path, json)).value.id
      const trigger = { trigger: { kind: "Api" }, stopEvents: [], steps: [] }
      const campaign = await made("/campaigns", { name: "Spring sale" })
      const flow = await made("/flows", { name: "Spring greeting 100%", ...trigger })
      const template = await made("/templates", { name: "SPRING letter", subject: "Hello", text: "x" })
      const segment = await made("/segments", { name: "Spring", definition: { join: "All", rules: [] } })
      const { value: contact } = await account.api<{ readonly contact: { readonly id: string } }>(
        "POST",
        "/contacts",
        { email: "spring@example.com", firstName: "Ada" }
      )
      const mail = mailOf(account)
      const { id: email } = await mail.send("spring@example.com")
      await mail.settled(email, "Delivered")

      const kindsOf = (items: ReadonlyArray<Found>) => items.map(({ kind }) => kind)
      expect(await search(account, "spring")).toEqual([
        { kind: "Contact", id: contact.contact.id, title: "spring@example.com", detail: "Ada" },
        { kind: "Email", id: email, title: "Hello", detail: "spring@example.com" },
        { kind: "Campaign", id: campaign, title: "Spring sale", detail: "Draft" },
        { kind: "Flow", id: flow, title: "Spring greeting 100%", detail: "Draft" },
        { kind: "Template", id: template, title: "SPRING letter", detail: "Hello" },
        { kind: "Segment", id: segment, title: "Spring", detail: null }
      ])
      expect(kindsOf(await search(account, "HELL"))).toEqual(["Email"])
      expect(kindsOf(await search(account, "100%"))).toEqual(["Flow"])
      expect(await search(account, "%ring_")).toEqual([])
      expect(kindsOf(await search(account, "Spring@Example.com"))).toEqual(["Contact", "Email"])
      for (const id of [campaign, flow, template, segment, contact.contact.id, email]) {
        expect((await search(account, id.toUpperCase())).map((found) => found.id)).toEqual([id])
      }
      expect(kindsOf(await search(account, "mail.example"))).toEqual(["Domain"])
      const inbox = await account.manage<{ readonly items: ReadonlyArray<{ readonly id: string }> }>(
        "GET",
        "/inbox"
      )
      const raw = await account.manage("GET", `/inbox/${inbox.value.items[0]!.id}/raw`)
      const [, messageId] = /^Message-ID:\s*(<[^>]+>)/im.exec(raw.text) ?? []
      expect((await search(account, messageId!)).map(({ id }) => id)).toEqual([email])
      expect(await search(account, "no such thing")).toEqual([])

      const rights = ["flows:read", "templates:read"]
      const issued = await manage<{ readonly token: string }>(
        target(),
        "POST",
        `/companies/${companyId}/tokens`,
        {
          json: { name: "Searching", rights, expiresInDays: 1 }
        }
      )
      expect(kindsOf(await search(account, "spring", issued.value.token))).toEqual(["Flow", "Template"])
      expect(await search(account, "spring@example.com", issued.value.token)).toEqual([])
    })

    it("finds at most five of a kind, and needs something to look for", async () => {
      const { sandbox: account } = await openWorkspace(target(), "Many")
      for (let index = 0; index < 6; index++) {
        await account.manage("POST", "/templates", { name: `Same ${index}`, subject: "s", text: "t" })
      }
      expect((await search(account, "same")).map(({ title }) => title)).toEqual(
        [5, 4, 3, 2, 1].map((index) => `Same ${index}`)
      )
      for (const query of ["", "?q=", "?q=%20", `?q=${"x".repeat(255)}`]) {
        const answer = await account.manage("GET", `/search${query}`)
        expect([answer.status, answer.fields]).toEqual([400, ["q"]])
      }
      for (const q of ["%00", "'", "\\", "(", "[", "*"]) {
        expect((await account.manage("GET", `/search?q=${encodeURIComponent(q)}`)).status).toBe(200)
      }
    })
  })
