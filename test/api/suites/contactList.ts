/**
 * Tests GET /contacts: all contacts, or those of a segment (docs/contributing/public-api.md "Contacts",
 * docs/contributing/decisions.md 3).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { type Contact, type ContactWritten, type Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount, type Workspace } from "../../support/workspace.ts"

const size = 23
const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

export const contactListSuite = (target: () => Target) =>
  describe("the list of contacts", () => {
    let workspace: Workspace
    let account: TestAccount
    let contacts: ReadonlyArray<Contact>
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Contact list")
      account = workspace.sandbox
      const added: Array<Contact> = []
      for (let index = 0; index < size; index++) {
        const json = { email: `n${index}@listed.example`, city: index % 2 === 0 ? "Wien" : "Graz" }
        added.push((await account.api<ContactWritten>("POST", "/contacts", json)).value.contact)
      }
      contacts = added.toSorted((a, b) =>
        a.addedAt === b.addedAt ? (a.id < b.id ? 1 : -1) : a.addedAt < b.addedAt ? 1 : -1
      )
    })
    const list = (query: string, of = account) => of.api<Page<Contact>>("GET", `/contacts${query}`)
    const segment = async (city: string) => {
      const rules = [{ fieldKey: "city", operator: "Equals", value: city }]
      const json = { name: city, definition: { join: "All", rules } }
      return (await account.manage<{ readonly id: string }>("POST", "/segments", json)).value.id
    }

    it("returns newest first, 50 to a page by default", async () => {
      const answer = await list("")
      expect(answer.status).toBe(200)
      expect(answer.value).toEqual({ items: contacts, page: 1, pageSize: 50, totalCount: size })
    })

    it("returns each contact once, page by page", async () => {
      const pages = await Promise.all([1, 2, 3, 4].map((page) => list(`?page=${page}&pageSize=10`)))
      expect(pages.map((answer) => answer.value.items.length)).toEqual([10, 10, 3, 0])
      expect(pages.flatMap((answer) => answer.value.items)).toEqual(contacts)
      expect(new Set(pages.map((answer) => answer.value.totalCount))).toEqual(new Set([size]))
    })

    it("returns the people of the account's own and of built-in segments", async () => {
      const id = await segment("WIEN")
      const expected = contacts.filter((contact) => contact.city === "Wien")
      const whole = (await list(`?segment=${id.toUpperCase()}`)).value
      expect(whole).toEqual({ items: expected, page: 1, pageSize: 50, totalCount: expected.length })
      const second = (await list(`?segment=${id}&page=2&pageSize=5`)).value
      expect(second.items).toEqual(expected.slice(5, 10))
      const segments = (
        await account.api<ReadonlyArray<{ id: string; builtInKey: string | null; count: number }>>(
          "GET",
          "/segments"
        )
      ).value
      expect(segments.find((one) => one.id === id)!.count).toBe(expected.length)
      const everyone = segments.find((one) => one.builtInKey === "all")!
      expect((await list(`?segment=${everyone.id}`)).value.items).toEqual(contacts)
    })

    it("rejects a segment that is unknown, another account's or deleted", async () => {
      const id = await segment("Graz")
      expect((await list(`?segment=${id}`)).value.totalCount).toBe(11)
      const refusals = [await list(`?segment=${unknownId}`), await list(`?segment=${id}`, workspace.live)]
      await account.manage("DELETE", `/segments/${id}`)
      refusals.push(await list(`?segment=${id}`))
      expect(refusals.map((answer) => [answer.status, answer.codes])).toEqual(
        refusals.map(() => [404, ["segments.not_found"]])
      )
      const odd = await list("?segment=graz")
      expect([odd.status, odd.codes, odd.fields]).toEqual([400, ["validation.format"], ["segment"]])
    })

    it.each([
      ["page=0", "page"],
      ["page=x", "page"],
      ["pageSize=0", "pageSize"],
      ["pageSize=201", "pageSize"]
    ])("rejects %s", async (query, field) => {
      const answer = await list(`?${query}`)
      expect([answer.status, answer.fields]).toEqual([400, [field]])
    })

    it("requires contacts:read, and isolates accounts", async () => {
      const { value } = await list("", workspace.live)
      expect(value.items).toEqual([])
      const { key } = await account.issueKey(["contacts:write"])
      const response = await target().fetch("/api/v1/contacts", {
        headers: { authorization: `Bearer ${key}` }
      })
      expect(response.status).toBe(403)
    })

    it("omits erased people", async () => {
      const { sandbox } = await openWorkspace(target(), "Erased list")
      const json = { email: "gone@listed.example" }
      const { contact } = (await sandbox.api<ContactWritten>("POST", "/contacts", json)).value
      expect((await list("", sandbox)).value.totalCount).toBe(1)
      expect((await sandbox.api("DELETE", `/contacts/${contact.id}`)).status).toBe(200)
      expect((await list("", sandbox)).value).toMatchObject({ items: [], totalCount: 0 })
    })
  })
