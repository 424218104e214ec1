/**
 * Tests POST /items/batch (docs/contributing/public-api.md "Catalogue", docs/contributing/decisions.md 2 and 8).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import type { CatalogueItem, Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface BatchWritten {
  readonly created: number
  readonly updated: number
  readonly failed: number
  readonly results: ReadonlyArray<{
    readonly index: number
    readonly status: string
    readonly id: string | null
    readonly errors: ReadonlyArray<{ readonly code: string; readonly field: string | null }> | null
  }>
}

const times = <A>(count: number, make: (index: number) => A): Array<A> =>
  Array.from({ length: count }, (_, index) => make(index))

export const itemsBatchSuite = (target: () => Target) =>
  describe("items batch", () => {
    let account: TestAccount
    let serial = 0
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Catalogue batches")).sandbox
    })
    const freshId = () => `sku-${++serial}`
    const send = (items: unknown) => account.api<BatchWritten>("POST", "/items/batch", { items })
    const read = (id: string) => account.api<CatalogueItem>("GET", `/items/${encodeURIComponent(id)}`)

    it("writes or rejects each item by itself, in order", async () => {
      const [fresh, there, late] = [freshId(), freshId(), freshId()]
      const { value: item } = await account.api<CatalogueItem>("POST", "/items", { id: there, name: "There" })
      const answer = await send([
        { id: fresh, name: "Fresh", price: 5, currency: "EUR" },
        { id: there, stockQuantity: 4 },
        { id: late },
        { id: late, name: "Late" },
        { id: fresh, price: 7 },
        { id: there, price: 1 },
        { id: there, kind: 5, categories: [1] },
        "no item",
        { id: fresh, currency: "XX", url: "x" }
      ])
      expect(answer.status).toBe(200)
      const { results, ...counts } = answer.value
      expect(counts).toEqual({ created: 2, updated: 2, failed: 5 })
      const failed = (index: number, ...errors: ReadonlyArray<object>) => ({
        index,
        status: "failed",
        id: null,
        errors
      })
      const id = results[0]!.id
      expect(results).toEqual([
        { index: 0, status: "created", id: expect.any(String), errors: null },
        { index: 1, status: "updated", id: item.id, errors: null },
        failed(2, { code: "catalog.item_name_missing", field: "name", params: null }),
        { index: 3, status: "created", id: expect.any(String), errors: null },
        { index: 4, status: "updated", id, errors: null },
        failed(5, { code: "catalog.item_currency_invalid", field: "currency", params: null }),
        failed(
          6,
          { code: "validation.type", field: "kind", params: null },
          { code: "validation.type", field: "categories[0]", params: null }
        ),
        failed(7, { code: "validation.type", field: null, params: null }),
        failed(
          8,
          { code: "catalog.item_url_invalid", field: "url", params: { max: 2000 } },
          { code: "catalog.item_currency_invalid", field: "currency", params: null }
        )
      ])
      expect((await read(fresh)).value).toMatchObject({ id, price: 7, currency: "EUR" })
      expect((await read(there)).value).toMatchObject({ kind: "product", stockQuantity: 4, price: null })
      expect((await read(late)).value.name).toBe("Late")
    })

    it("accepts no items and 1,000, and rejects 1,001 as a whole", async () => {
      expect((await send([])).value).toEqual({ created: 0, updated: 0, failed: 0, results: [] })
      const items = times(1000, () => ({ id: freshId(), name: "Many", categories: ["Many"] }))
      const first = await send(items)
      expect(first.value).toMatchObject({ created: 1000, updated: 0, failed: 0 })
      const again = await send(items)
      expect(again.value).toMatchObject({ created: 0, updated: 1000, failed: 0 })
      expect(again.value.results.map(({ id, index }) => [index, id])).toEqual(
        first.value.results.map(({ id, index }) => [index, id])
      )
      const extra = freshId()
      const refused = await send([{ id: extra, name: "A" }, ...items])
      expect([refused.status, refused.codes, refused.fields]).toEqual([
        400,
        ["catalog.batch_too_large"],
        ["items"]
      ])
      expect((await read(extra)).status).toBe(404)
    })

    it("rejects a body whose list is missing or not a list", async () => {
      for (const body of [{}, { items: null }, { items: {} }, []]) {
        const answer = await account.api("POST", "/items/batch", body)
        expect(answer.status).toBe(400)
        expect(answer.refusal).not.toBeNull()
      }
    })

    it("creates each item once in concurrent batches", async () => {
      const ids = times(50, freshId)
      const answers = await Promise.all(
        times(6, (call) =>
          send((call % 2 === 0 ? ids : ids.toReversed()).map((id) => ({ id, name: `${call}` })))
        )
      )
      for (const { value } of answers) expect(value.failed).toBe(0)
      expect(answers.reduce((sum, { value }) => sum + value.created, 0)).toBe(50)
      const names = new Set(await Promise.all(ids.map(async (id) => (await read(id)).value.name)))
      expect(names.size).toBe(1)
    })

    it("fills the catalogue up to 100,000 items and no further, also concurrently", async ({ skip }) => {
      if (target().advance === null) skip("The store holds the limit: once for each is enough.")
      const { sandbox } = await openWorkspace(target(), "Full catalogue")
      const fill = (items: ReadonlyArray<unknown>) =>
        sandbox.api<BatchWritten>("POST", "/items/batch", { items })
      for (let start = 0; start < 99_000; start += 1000) {
        const { value } = await fill(times(1000, (index) => ({ id: `${start + index}`, name: "A" })))
        expect(value.created).toBe(1000)
      }
      const last = await Promise.all(
        times(4, (call) => fill(times(400, (index) => ({ id: `last ${call}-${index}`, name: "A" }))))
      )
      expect(last.reduce((sum, { value }) => sum + value.created, 0)).toBe(1000)
      const errors = last.flatMap(({ value }) => value.results.flatMap((result) => result.errors ?? []))
      expect(errors).toHaveLength(600)
      for (const error of errors) {
        expect(error).toEqual({ code: "catalog.items_limit", field: null, params: { max: 100_000 } })
      }
      const one = await sandbox.api("POST", "/items", { id: "one more", name: "A" })
      expect([one.status, one.codes]).toEqual([400, ["catalog.items_limit"]])
      expect((await sandbox.api("POST", "/items", { id: "5", name: "B" })).status).toBe(200)
      expect((await sandbox.api("DELETE", "/items/5")).status).toBe(200)
      expect((await sandbox.api("POST", "/items", { id: "one more", name: "A" })).status).toBe(201)
    }, 180_000)

    it("is open to operators, whose imports are recorded by their numbers", async () => {
      const { manage } = account
      const [fresh, there] = [freshId(), freshId()]
      await account.api("POST", "/items", { id: there, name: "There" })
      const items = [{ id: fresh, name: "Fresh", price: 9.5, currency: "EUR" }, { id: there, price: -1 }, {}]
      const { status, value } = await manage<BatchWritten>("POST", "/items/batch", { items })
      expect(status).toBe(200)
      expect(value).toMatchObject({
        created: 1,
        updated: 0,
        failed: 2,
        results: [
          { index: 0, status: "created", errors: null },
          { index: 1, status: "failed", errors: [{ code: "catalog.item_price_invalid", field: "price" }] },
          { index: 2, status: "failed", errors: [{ code: "catalog.item_id_invalid", field: "id" }] }
        ]
      })
      expect((await read(fresh)).value).toMatchObject({ id: value.results[0]!.id, source: "Api", price: 9.5 })
      const entries = async () =>
        (
          await manage<Page<{ readonly action: string; readonly after: unknown }>>("GET", "/audit-log")
        ).value.items.filter(({ action }) => action === "catalog.imported")
      expect(await entries()).toMatchObject([{ after: { created: 1, updated: 0, failed: 2 } }])
      await manage("POST", "/items/batch", { items: [{ id: fresh, price: "1" }] })
      expect(await entries()).toHaveLength(1)
      const over = await manage("POST", "/items/batch", { items: times(1_001, () => ({ id: fresh })) })
      expect([over.status, over.codes]).toEqual([400, ["catalog.batch_too_large"]])
      const unknown = await manage("POST", "/items/batch", { items: [{ id: fresh, colour: "red" }] })
      expect([unknown.status, unknown.codes]).toEqual([400, ["validation.unknown_field"]])
    })
  })
