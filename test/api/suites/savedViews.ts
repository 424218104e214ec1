/**
 * Tests saved views of lists (docs/management-api.md "Saved views").
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call } from "../../support/client.ts"
import type { Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type TestAccount, type Workspace } from "../../support/workspace.ts"

interface View {
  readonly id: string
  readonly name: string
  readonly shared: boolean
  readonly [field: string]: unknown
}

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

export const savedViewsSuite = (target: () => Target) =>
  describe("saved views", () => {
    let workspace: Workspace
    let account: TestAccount
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Saved views")
      account = workspace.sandbox
    })
    const tokenOf = async (rights: ReadonlyArray<string>) => {
      const made = await manage<{ readonly token: string }>(
        target(),
        "POST",
        `/companies/${workspace.companyId}/tokens`,
        { json: { name: "views", rights, expiresInDays: null } }
      )
      const send = <Value = View>(method: string, path: string, json?: unknown) =>
        call<Value>(target(), method, `/manage/v1/accounts/${account.accountId}/views${path}`, {
          token: made.value.token,
          ...(json === undefined ? {} : { json })
        })
      const seen = async (query = "") =>
        (await send<Page<View>>("GET", query)).value.items.map(({ id }) => id)
      return { send, seen }
    }

    it("belong to their creator, who shares them, changes them and deletes them", async () => {
      const [ada, eve, admin] = [
        await tokenOf(["contacts:read"]),
        await tokenOf(["contacts:read"]),
        await tokenOf(["company:write", "contacts:read"])
      ]
      const blind = await tokenOf(["company:write", "orders:read"])
      const view = {
        name: "  Buyers ",
        list: "contacts",
        query: { filters: { country: ["AT"], suppressed: false }, q: "x", sort: "-lastActivity" },
        columns: ["email", "city"]
      }
      const made = await ada.send("POST", "", view)
      expect(made.status).toBe(201)
      expect(made.value).toMatchObject({
        ...view,
        name: "Buyers",
        shared: false,
        createdBy: { kind: "Token" }
      })
      const { id } = made.value
      expect([await ada.seen(), await eve.seen()]).toEqual([[id], []])
      expect([await ada.seen("?list=emails"), await ada.seen("?list=contacts")]).toEqual([[], [id]])
      for (const [method, json] of [["PATCH", { name: "Mine" }], ["DELETE"]] as const) {
        expect((await eve.send(method, `/${id}`, json)).status).toBe(404)
      }
      expect((await ada.send("PATCH", `/${id}`, { shared: true })).value).toMatchObject({
        shared: true,
        name: "Buyers"
      })
      expect(await eve.seen()).toEqual([id])
      // A person who may not see the list must not see the filters of others either.
      expect([await blind.seen(), await blind.seen("?list=contacts,orders")]).toEqual([[], []])
      expect((await blind.send("PATCH", `/${id}`, { name: "Mine" })).status).toBe(404)
      const refused = await blind.send("POST", "", { name: "Mine", list: "contacts" })
      expect([refused.status, refused.envelope?.errors[0]?.details]).toEqual([
        403,
        { right: "contacts:read" }
      ])
      expect((await blind.send("POST", "", { name: "Mine", list: "orders" })).status).toBe(201)
      for (const [method, json] of [["PATCH", { name: "Mine" }], ["DELETE"]] as const) {
        const denied = await eve.send(method, `/${id}`, json)
        expect([denied.status, denied.envelope?.errors[0]?.details]).toEqual([
          403,
          { right: "company:write" }
        ])
      }
      const renamed = await admin.send("PATCH", `/${id}`, { name: "All", query: {}, columns: null })
      expect(renamed.value).toMatchObject({
        name: "All",
        query: { filters: {}, q: null, sort: null },
        columns: null,
        shared: true
      })
      expect((await workspace.live.manage("PATCH", `/views/${id}`, { name: "x" })).status).toBe(404)
      expect((await ada.send("DELETE", `/${id}`)).status).toBe(200)
      expect((await ada.send("DELETE", `/${id}`)).status).toBe(404)
      expect(await eve.seen()).toEqual([])
    })

    it("reject what is none, and more than a hundred of a list", async () => {
      const outcome = async (json: unknown) => {
        const { codes, fields, refusal, status } = await account.manage("POST", "/views", json)
        return [status, ...codes, ...(refusal === null ? fields : Object.keys(refusal.errors))]
      }
      const view = { name: "v", list: "contacts" }
      expect(await outcome({ ...view, name: " " })).toEqual([400, "validation.required", "name"])
      expect(await outcome({ ...view, name: "n".repeat(101) })).toEqual([
        400,
        "validation.max_length",
        "name"
      ])
      expect(await outcome({ ...view, list: "secrets" })).toEqual([400, "validation.format", "list"])
      expect(await outcome({ ...view, query: { filters: { a: "x".repeat(10_001) } } })).toEqual([
        400,
        "validation.max_length",
        "query.filters"
      ])
      expect(await outcome({ ...view, query: { filters: { a: "\0" } } })).toEqual([
        400,
        "validation.format",
        "query.filters"
      ])
      for (const filters of [{ a: { b: ["\ud800"] } }, { "\udfff": 1 }]) {
        expect(await outcome({ ...view, query: { filters } })).toEqual([
          400,
          "validation.format",
          "query.filters"
        ])
      }
      const escaped = { "\\u0000": "\\ud800", pair: "😀" }
      const kept = await account.manage<View>("POST", "/views", { ...view, query: { filters: escaped } })
      expect(kept.value["query"]).toMatchObject({ filters: escaped })
      expect((await account.manage("PATCH", `/views/${unknownId}`, { name: "x" })).status).toBe(404)
      const answers = await Promise.all(
        Array.from({ length: 101 }, () => account.manage("POST", "/views", { ...view, list: "items" }))
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([
        ...Array.from({ length: 100 }, () => 201),
        400
      ])
      expect(answers.find(({ status }) => status === 400)!.codes).toEqual(["views.limit_reached"])
    })
  })
