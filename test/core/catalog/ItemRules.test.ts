/**
 * Tests of parsing item writes, and of decisions on batches of them against a naive model.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { type Item, maxItems, newItem, ownItems } from "../../../core/model/Item.ts"
import { decideItems, type ItemState } from "../../../core/catalog/ItemRules.ts"
import { type ItemCommand, type ItemWrite, parseItemWrite } from "../../../core/catalog/ItemWrite.ts"
import { type Code, catalogue, Problem } from "../../../core/shared/Problem.ts"
import { itemRefusals } from "../../support/itemRefusals.ts"
import { anyText } from "../arbitraries.ts"

const now = Date.UTC(2031, 3, 6)

const commandOf = (write: ItemWrite): ItemCommand => Result.getOrThrow(parseItemWrite(write))

const issuesOf = (write: ItemWrite): ReadonlyArray<readonly [Code, string | null]> => {
  const parsed = parseItemWrite(write)
  return Result.isFailure(parsed)
    ? parsed.failure.issues.map(({ code, field }) => [code, field] as const)
    : []
}

describe("parseItemWrite", () => {
  it("trims and normalizes every field", () => {
    expect(
      commandOf({
        id: " sku/1 ",
        kind: "plan",
        name: " Pro ",
        description: " d ",
        url: " https://shop.example/a?b=1#c ",
        imageUrl: "http://shop.example/ü.png",
        price: 19.9,
        comparePrice: 0,
        currency: " eur ",
        inStock: false,
        stockQuantity: -0,
        categories: [" Shoes ", "Shoes", "Boots"],
        attributes: { color: " red ", size: -0, new: true, tags: [" a ", "a"], none: null },
        active: false
      })
    ).toStrictEqual({
      externalId: "sku/1",
      patch: {
        kind: "plan",
        name: "Pro",
        description: "d",
        url: "https://shop.example/a?b=1#c",
        imageUrl: "http://shop.example/ü.png",
        price: "19.9",
        comparePrice: "0",
        currency: "EUR",
        inStock: false,
        stockQuantity: 0,
        categories: ["Shoes", "Boots"],
        attributes: { color: "red", size: 0, new: true, tags: ["a", "a"] },
        active: false
      }
    })
  })

  it("treats null as omitted, or as cleared where the field is nullable", () => {
    const none = null
    expect(
      commandOf({
        id: "a",
        kind: none,
        name: none,
        description: none,
        url: none,
        imageUrl: none,
        price: none,
        comparePrice: none,
        currency: none,
        inStock: none,
        stockQuantity: none,
        categories: none,
        attributes: none,
        active: none
      }).patch
    ).toStrictEqual({
      description: null,
      url: null,
      imageUrl: null,
      price: null,
      comparePrice: null,
      currency: null,
      stockQuantity: null,
      categories: [],
      attributes: {}
    })
    expect(commandOf({ id: "a" }).patch).toStrictEqual({})
    expect(
      commandOf({ id: "a", description: " ", url: "", imageUrl: "", currency: " " }).patch
    ).toStrictEqual({
      description: null,
      url: null,
      imageUrl: null,
      currency: null
    })
  })

  it.each<readonly [Code, string, ItemWrite]>([
    ...itemRefusals,
    ["catalog.item_stock_quantity_invalid", "stockQuantity", { id: "a", stockQuantity: 1.5 }]
  ])("reports %s on %s", (code, field, write) => {
    expect(issuesOf(write)).toEqual([[code, field]])
  })

  it("reports every issue of a write", () => {
    expect(issuesOf({ kind: "x", name: "", price: -1, url: "x" }).map(([, field]) => field)).toEqual([
      "id",
      "kind",
      "name",
      "url",
      "price"
    ])
  })

  it("accepts any strings and numbers as input, and reports only catalog codes", () => {
    const text = fc.option(anyText)
    const number = fc.option(fc.oneof(fc.double(), fc.integer()))
    const write = fc.record(
      {
        id: text,
        kind: text,
        name: text,
        description: text,
        url: text,
        imageUrl: text,
        price: number,
        comparePrice: number,
        currency: text,
        stockQuantity: number,
        categories: fc.option(fc.array(anyText, { maxLength: 3 })),
        attributes: fc.option(fc.dictionary(anyText, fc.jsonValue(), { maxKeys: 3 }))
      },
      { requiredKeys: [] }
    )
    fc.assert(
      fc.property(write, (given) => {
        for (const [code, field] of issuesOf(given)) {
          expect(code).toMatch(/^catalog\.item_/)
          expect(catalogue[code].status).toBe(400)
          expect(field).not.toBeNull()
        }
      })
    )
  })
})

const stateOf = (items: ReadonlyArray<Item>, ids: number, itemCount = items.length): ItemState => ({
  owner: ownItems,
  items,
  itemCount,
  ids: Array.from({ length: ids }, (_, index) => `new:${index}`),
  now
})

/** The naive model: applies the writes one after another, as the contract says. */
const applyAll = (items: ReadonlyArray<Item>, room: number, writes: ReadonlyArray<ItemWrite>) => {
  const known = new Map(items.map((item) => [item.externalId, item as Partial<Item>]))
  const results: Array<Code | "created" | "updated"> = []
  let left = room
  for (const write of writes) {
    const { externalId, patch } = commandOf(write)
    const before = known.get(externalId)
    const after: Partial<Item> = {
      ...(before ?? {
        kind: "product",
        inStock: true,
        active: true,
        description: null,
        url: null,
        imageUrl: null,
        price: null,
        comparePrice: null,
        currency: null,
        stockQuantity: null,
        categories: [],
        attributes: {}
      }),
      ...patch
    }
    if (after.name === undefined) results.push("catalog.item_name_missing")
    else if ((after.price !== null || after.comparePrice !== null) && after.currency === null)
      results.push("catalog.item_currency_invalid")
    else if (before === undefined && left === 0) results.push("catalog.items_limit")
    else {
      if (before === undefined) left--
      results.push(before === undefined ? "created" : "updated")
      known.set(externalId, after)
    }
  }
  return { known, results }
}

const anyWrite: fc.Arbitrary<ItemWrite> = fc.record(
  {
    id: fc.constantFrom("a", "b", "c", "d"),
    kind: fc.constantFrom("plan", "other", null),
    name: fc.constantFrom("One", "Two", null),
    description: fc.constantFrom("text", "", null),
    price: fc.constantFrom(1, 2.5, null),
    comparePrice: fc.constantFrom(3, null),
    currency: fc.constantFrom("EUR", "usd", null),
    inStock: fc.constantFrom(true, false, null),
    stockQuantity: fc.constantFrom(0, 7, null),
    categories: fc.constantFrom(["x"], ["x", "y"], null),
    attributes: fc.constantFrom({ a: 1 }, { b: ["t"] }, null),
    active: fc.constantFrom(true, false, null)
  },
  { requiredKeys: ["id"] }
)

const stored = (externalId: string, values: Partial<Item> = {}): Item => ({
  ...newItem(ownItems, `stored:${externalId}`, externalId, now - 1),
  name: externalId,
  version: 3,
  ...values
})

describe("decideItems", () => {
  it("gives a new item its defaults", () => {
    const { changes, results } = decideItems(stateOf([], 1), [parseItemWrite({ id: "a", name: "A" })])
    const item = {
      id: "new:0",
      storeId: null,
      source: "Api",
      externalId: "a",
      kind: "product",
      name: "A",
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
      createdAt: now,
      updatedAt: null,
      version: 1
    }
    expect(changes).toStrictEqual({ inserts: [item], updates: [], updatedFields: [] })
    expect(results).toEqual([Result.succeed({ item, created: true })])
  })

  it("applies writes in order, each on the results of those before it", () => {
    fc.assert(
      fc.property(
        fc.subarray(["a", "b", "c"]),
        fc.integer({ min: 0, max: 2 }),
        fc.array(anyWrite, { maxLength: 8 }),
        (existing, room, writes) => {
          const items = existing.map((id) => stored(id, { price: "5", currency: "GBP", categories: ["old"] }))
          const model = applyAll(items, room, writes)
          const { changes, results } = decideItems(
            stateOf(items, writes.length, maxItems - room),
            writes.map(parseItemWrite)
          )
          const shown = results.map((result) =>
            Result.isFailure(result)
              ? result.failure.issues[0].code
              : result.success.created
                ? "created"
                : "updated"
          )
          expect(shown).toEqual(model.results)
          const after = new Map(items.map((item) => [item.externalId, item]))
          for (const item of [...changes.inserts, ...changes.updates]) after.set(item.externalId, item)
          expect([...after.keys()].toSorted()).toEqual([...model.known.keys()].toSorted())
          for (const [id, { updatedAt: _, version: __, ...item }] of model.known) {
            expect(after.get(id)).toMatchObject(item)
          }
          for (const update of changes.updates) {
            const before = items.find((item) => item.id === update.id)!
            const fields = changes.updatedFields as ReadonlyArray<keyof Item>
            const written = Object.fromEntries(
              [...fields, "version" as const].map((field) => [field, update[field]])
            )
            expect({ ...before, ...written }).toEqual(update)
          }
          for (const item of changes.updates) expect([item.version, item.updatedAt]).toEqual([4, now])
          for (const item of changes.inserts) expect([item.version, item.createdAt]).toEqual([1, now])
        }
      )
    )
  })

  it("changes nothing when the same writes are repeated", () => {
    fc.assert(
      fc.property(fc.array(anyWrite, { maxLength: 6 }), (writes) => {
        const commands = writes.map(parseItemWrite)
        const once = decideItems(stateOf([], writes.length), commands)
        const last = new Map(writes.map((write, index) => [write.id, commands[index]!]))
        const again = decideItems(stateOf(once.changes.inserts, last.size), [...last.values()])
        for (const update of again.changes.updates) {
          // Only writes that were rejected because an earlier one was missing.
          const index = writes.findLastIndex((write) => write.id === update.externalId)
          expect(Result.isFailure(once.results[index]!)).toBe(true)
        }
      })
    )
    const item = stored("a", { categories: ["x"], attributes: { a: ["b"] } })
    const same = parseItemWrite({
      id: "a",
      name: "a",
      categories: ["x"],
      attributes: { a: ["b"] },
      inStock: true
    })
    expect(decideItems(stateOf([item], 1), [same])).toEqual({
      results: [Result.succeed({ item, created: false })],
      changes: { inserts: [], updates: [], updatedFields: [] }
    })
  })

  it("returns the problem of a command that is invalid already", () => {
    const invalid = Result.fail(Problem.of("validation.type", "name"))
    expect(decideItems(stateOf([], 1), [invalid]).results).toEqual([invalid])
  })
})
