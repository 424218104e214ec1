/**
 * Tests POST /items, GET and DELETE /items/{externalId} (docs/contributing/public-api.md "Catalogue",
 * docs/contributing/decisions.md 2 and 8).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call } from "../../support/client.ts"
import { dateTimePattern, idPattern, type CatalogueItem } from "../../support/shapes.ts"
import { itemRefusals } from "../../support/itemRefusals.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

export const itemsSuite = (target: () => Target) =>
  describe("items", () => {
    let account: TestAccount
    let other: TestAccount
    let serial = 0
    beforeAll(async () => {
      const { live, sandbox } = await openWorkspace(target(), "Catalogue")
      account = sandbox
      other = live
    })
    const freshId = () => `sku-${++serial}`
    const write = (item: unknown) => account.api<CatalogueItem>("POST", "/items", item)
    const read = (id: string, from = account) =>
      from.api<CatalogueItem>("GET", `/items/${encodeURIComponent(id)}`)
    const remove = (id: string, from = account) =>
      from.api<null>("DELETE", `/items/${encodeURIComponent(id)}`)

    it("are created with defaults", async () => {
      const id = freshId()
      const answer = await write({ id, name: "Shoe" })
      expect(answer.status).toBe(201)
      expect(answer.value).toEqual({
        id: expect.stringMatching(idPattern),
        source: "Api",
        storeId: null,
        externalId: id,
        kind: "product",
        name: "Shoe",
        description: null,
        url: null,
        imageUrl: null,
        price: null,
        comparePrice: null,
        currency: null,
        inStock: true,
        stockQuantity: null,
        categories: [],
        attributes: {},
        active: true,
        createdAt: expect.stringMatching(dateTimePattern),
        updatedAt: null
      })
      expect((await read(id)).value).toEqual(answer.value)
    })

    it("keep what is omitted, clear what is null, and do not change when repeated", async () => {
      const id = freshId()
      const item = {
        kind: "plan",
        name: "Pro",
        description: "All of it",
        url: "https://shop.example/pro",
        imageUrl: "https://shop.example/pro.png",
        price: 19.9,
        comparePrice: 29,
        currency: "EUR",
        inStock: false,
        stockQuantity: 3,
        categories: ["Plans", "New"],
        attributes: { seats: 5, note: "x", tags: ["a"], trial: true },
        active: false
      }
      const first = await write({ id, ...item })
      expect(first.status).toBe(201)
      expect(first.value).toMatchObject(item)
      const again = await write({ id, ...item })
      expect(again.status).toBe(200)
      expect(again.value).toEqual(first.value)
      expect((await write({ id })).value).toEqual(first.value)

      const priced = await write({ id, price: 25 })
      expect(priced.status).toBe(200)
      const updatedAt = expect.stringMatching(dateTimePattern)
      expect(priced.value).toEqual({ ...first.value, price: 25, updatedAt })

      const cleared = await write({
        id,
        kind: null,
        name: null,
        description: null,
        url: null,
        imageUrl: null,
        price: null,
        comparePrice: null,
        currency: null,
        inStock: null,
        stockQuantity: null,
        categories: null,
        attributes: null,
        active: null
      })
      expect(cleared.value).toEqual({
        ...first.value,
        description: null,
        url: null,
        imageUrl: null,
        price: null,
        comparePrice: null,
        currency: null,
        stockQuantity: null,
        categories: [],
        attributes: {},
        updatedAt
      })
      const replaced = await write({ id, categories: ["One"], attributes: { only: 1 } })
      expect(replaced.value).toMatchObject({ categories: ["One"], attributes: { only: 1 } })
      expect((await read(id)).value).toEqual(replaced.value)
    })

    it("keep prices digit for digit", async () => {
      const id = freshId()
      for (const price of ["0", "19.9", "0.07", "1234567890.12345", "999999999999999", "0.000000000000001"]) {
        const answer = await call(target(), "POST", "/api/v1/items", {
          token: account.key,
          body: `{"id":"${id}","name":"A","currency":"EUR","price":${price},"comparePrice":${price}}`,
          headers: { "content-type": "application/json" }
        })
        expect(answer.text).toContain(`"price":${price},"comparePrice":${price},`)
        expect((await read(id)).text).toContain(`"price":${price},"comparePrice":${price},`)
      }
    })

    it("accept ids of any characters", async () => {
      const ids = [
        "batch",
        "a/b/c",
        "a b",
        "100%",
        "?q=1#x",
        "Ünï漢字👩‍👩‍👧",
        "a\\b",
        "a+b&c=d;e",
        "..a",
        "x".repeat(200),
        "ext:1",
        "%2F"
      ]
      for (const id of ids) {
        const { value } = await write({ id: ` ${id} `, name: "A" })
        expect(value.externalId).toBe(id)
        expect((await read(id)).value).toEqual(value)
        expect((await remove(id)).value).toBeNull()
        expect((await read(id)).codes).toEqual(["catalog.item_not_found"])
      }
    })

    it("are rejected when invalid, by field", async () => {
      const id = freshId()
      await write({ id, name: "There" })
      const refused: ReadonlyArray<readonly [code: string, field: string, item: object]> = [
        ...itemRefusals,
        ["catalog.item_name_missing", "name", { id: freshId() }],
        ["catalog.item_name_missing", "name", { id: freshId(), name: null }],
        ["catalog.item_name_missing", "name", { id, name: " " }],
        ["catalog.item_currency_invalid", "currency", { id, price: 1 }],
        ["catalog.item_currency_invalid", "currency", { id, comparePrice: 1 }]
      ]
      const before = (await read(id)).value
      for (const [code, field, item] of refused) {
        const answer = await write(item)
        expect([answer.status, answer.codes, answer.fields]).toEqual([400, [code], [field]])
      }
      const currency = await write({ id, price: 1, currency: "EUR" })
      expect(currency.status).toBe(200)
      expect((await write({ id, currency: null })).codes).toEqual(["catalog.item_currency_invalid"])
      const { updatedAt: _, ...after } = (await read(id)).value
      expect(after).toEqual({ ...after, ...before, price: 1, currency: "EUR", updatedAt: undefined })
    })

    it("are rejected in a body of another shape", async () => {
      const id = freshId()
      for (const [field, value] of Object.entries({
        name: 1,
        price: "19.90",
        inStock: "true",
        stockQuantity: 1.5,
        attributes: []
      })) {
        const answer = await write({ id, name: "A", [field]: value })
        expect(answer.status).toBe(400)
        expect(answer.fields).toEqual([field])
        expect(answer.refusal).not.toBeNull()
      }
      expect((await write({ id, name: "A", categories: ["a", 1] })).fields).toEqual(["categories[1]"])
      expect((await write([])).refusal).not.toBeNull()
      expect((await read(id)).status).toBe(404)
    })

    it("return 404 for an unknown id, and for another account's", async () => {
      const id = freshId()
      await write({ id, name: "A" })
      for (const [asked, from] of [
        [freshId(), account],
        [id, other],
        ["x".repeat(500), account],
        ["\0", account]
      ] as const) {
        for (const answer of [await read(asked, from), await remove(asked, from)]) {
          expect([answer.status, answer.codes]).toEqual([404, ["catalog.item_not_found"]])
        }
      }
      expect((await read(id)).status).toBe(200)
    })

    it("can be deleted, which releases their id", async () => {
      const id = freshId()
      const { value } = await write({ id, name: "A", kind: "other" })
      const removed = await remove(id)
      expect([removed.status, removed.value]).toEqual([200, null])
      expect((await remove(id)).status).toBe(404)
      const again = await write({ id, name: "B" })
      expect(again.status).toBe(201)
      expect(again.value.id).not.toBe(value.id)
      expect(again.value.kind).toBe("product")
    })

    it("get separate responses in concurrent writes", async () => {
      const id = freshId()
      const prefix = freshId()
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          write(
            index % 3 === 0
              ? { id, name: "Same" }
              : { id: `${prefix}-${index}`, name: index % 3 === 1 ? "A" : null }
          )
        )
      )
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status, index) => index % 3 === 0 && status === 201)).toHaveLength(1)
      expect(statuses.filter((status, index) => index % 3 === 0 && status === 200)).toHaveLength(9)
      for (const index of [1, 4, 28]) expect(statuses[index]).toBe(201)
      for (const index of [2, 5, 29]) expect(answers[index]!.codes).toEqual(["catalog.item_name_missing"])
    })

    it("require the permission of each route", async () => {
      const id = freshId()
      const reader = await account.issueKey(["items:read"])
      const writer = await account.issueKey(["items:write"])
      const status = async (token: string, method: string, path: string, json?: unknown) =>
        (await call(target(), method, `/api/v1${path}`, { token, ...(json === undefined ? {} : { json }) }))
          .status
      expect(await status(reader.key, "POST", "/items", { id, name: "A" })).toBe(403)
      expect(await status(reader.key, "POST", "/items/batch", { items: [] })).toBe(403)
      expect(await status(reader.key, "DELETE", `/items/${id}`)).toBe(403)
      expect(await status(reader.key, "GET", `/items/${id}`)).toBe(404)
      expect(await status(writer.key, "POST", "/items", { id, name: "A" })).toBe(201)
      expect(await status(writer.key, "GET", `/items/${id}`)).toBe(403)
      expect(await status(writer.key, "DELETE", `/items/${id}`)).toBe(200)
      expect(await status(account.key, "GET", "/items")).toBe(405)
      expect(await status(account.key, "PATCH", `/items/${id}`)).toBe(405)
    })

    it("say where they are used", async () => {
      const { manage } = account
      const item = (await write({ id: "used 1", name: "Used", categories: ["Used things"] })).value
      const usage = async (from = account) => from.manage<object>("GET", `/items/${item.id}/usage`)
      expect((await usage()).value).toEqual({ templates: [], flows: [], campaigns: [] })
      const make = async (path: string, json: object) =>
        (await manage<{ readonly id: string }>("POST", path, json)).value.id
      const template = (name: string, text: string) =>
        make("/templates", { name, subject: "Hello", html: "<p>Hello</p>", text })
      const named = await template("B", '{{ item["used 1"].name }}')
      const recommended = await template("A", '{{ recommend["Used things"].first.name }}')
      const unrelated = await template(
        "C",
        "{{ item[event.sku].name }} {{ item.used.name }} {{ recommend.None }}"
      )
      const flow = (name: string, step: object) =>
        make("/flows", {
          name,
          trigger: { kind: "Api" },
          steps: [
            {
              id: "wait",
              kind: "WaitForEvent",
              name: "paid",
              timeout: "P1D",
              then: [],
              else: [{ id: "send", kind: "SendEmail", purpose: "Transactional", ...step }]
            }
          ]
        })
      const byTemplate = await flow("By template", { templateId: recommended })
      const byText = await flow("By text", { subject: "{{ item['used 1'].name }}", text: "x" })
      await flow("Not used", { templateId: unrelated })
      expect((await manage("POST", `/flows/${byText}/publish`)).status).toBe(200)
      const content = { subject: "Hello", text: '{{ item["used 1"].price }}' }
      const campaigns = [
        await make("/campaigns", { name: "Of its own", content }),
        await make("/campaigns", { name: "With a template", content: { templateId: named } })
      ]
      await make("/campaigns", { name: "Not used", content: { templateId: unrelated } })
      expect((await usage()).value).toEqual({
        templates: [
          { id: recommended, name: "A", by: "Category" },
          { id: named, name: "B", by: "Id" }
        ],
        flows: [
          { id: byTemplate, name: "By template", status: "Draft", isPublished: false },
          { id: byText, name: "By text", status: "Published", isPublished: true }
        ],
        campaigns: [
          { id: campaigns[0], name: "Of its own", status: "Draft" },
          { id: campaigns[1], name: "With a template", status: "Draft" }
        ]
      })
      await manage("PATCH", `/templates/${named}`, { text: "Nothing" })
      await manage("POST", `/flows/${byTemplate}/archive`)
      expect((await usage()).value).toMatchObject({
        templates: [{ id: recommended }],
        flows: [{ id: byText }],
        campaigns: [{ id: campaigns[0] }]
      })
      const absent = await usage(other)
      expect([absent.status, absent.codes]).toEqual([404, ["catalog.item_not_found"]])
    })
  })
