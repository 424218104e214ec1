/**
 * The contract of `core/ports/ItemStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { type Item, itemKinds, maxItems, maxRecommended, newItem, ownItems } from "../../core/model/Item.ts"
import { type ItemFilter, ItemStore } from "../../core/ports/ItemStore.ts"
import type { PageRequest } from "../../core/shared/Page.ts"
import { foldCase } from "../../core/shared/Validate.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import {
  atOnce,
  byId,
  expectFailure,
  expectOnlyFailures,
  firstPage,
  freshAccountId,
  newId,
  now,
  oddText,
  readOn,
  readPages,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const draft = (externalId: string, values: Partial<Item> = {}): Item => ({
  ...newItem(ownItems, newId(), externalId, now),
  name: externalId,
  ...values
})

const ofStore = (storeId: string, externalId: string, values: Partial<Item> = {}): Item =>
  draft(externalId, { storeId, source: "Shopify", ...values })

const changed = (item: Item, values: Partial<Item>): Item => ({
  ...item,
  ...values,
  version: item.version + 1
})

const inserts = (...items: ReadonlyArray<Item>) => ({ inserts: items, updates: [], updatedFields: [] })
const updates = (...items: ReadonlyArray<Item>) => ({
  inserts: [],
  updates: items,
  updatedFields: "Any" as const
})

const full = (values: Partial<Item> = {}): Item =>
  draft(oddText.trim(), {
    kind: "service",
    name: oddText,
    description: oddText,
    url: "https://shop.example/a",
    imageUrl: "https://shop.example/ü.png",
    price: "999999999999.99",
    comparePrice: "0.000000000000001",
    currency: "EUR",
    inStock: false,
    stockQuantity: -2_147_483_648,
    categories: [oddText, "Shoes"],
    attributes: { [oddText]: oddText, size: 42.5, new: true, tags: [oddText], "": "", constructor: 1 },
    active: false,
    createdAt: now - 1,
    updatedAt: now + 1,
    version: 7,
    ...values
  })

/** Tests of the port `ItemStore`. */
export const itemStoreContract = (it: StorageTest): void => {
  describe("ItemStore", () => {
    it.effect("returns items as they were written, by the ids of their owner", () =>
      Effect.gen(function* () {
        const store = yield* ItemStore
        const accountId = yield* freshAccountId
        const [one, two] = [newId(), newId()]
        const own = [full(), draft("a"), draft("b", { price: "0", comparePrice: "12", currency: "JPY" })]
        const others = [ofStore(one, "a", { source: "Custom" }), ofStore(one, "c"), ofStore(two, "a")]
        yield* store.write(accountId, inserts(...own, ...others))
        const find = (storeId: string | null, ...ids: ReadonlyArray<string>) =>
          Effect.map(store.find(accountId, storeId, ids), byId)
        expect(yield* find(null, "a", "b", "c", "a", oddText.trim())).toEqual(own)
        expect(yield* find(one, "a", "b", "c")).toEqual(others.slice(0, 2))
        expect(yield* find(two, "a")).toEqual(others.slice(2))
        expect(yield* find(newId(), "a")).toEqual([])
        expect(yield* find(null)).toEqual([])
        expect(yield* store.find(yield* freshAccountId, null, ["a"])).toEqual([])
        expect(yield* store.count(accountId)).toBe(6)
        for (const item of [...own, ...others]) {
          expect(yield* store.get(accountId, item.id)).toEqual(item)
          expect(yield* store.get(yield* freshAccountId, item.id)).toBeNull()
        }
        expect(yield* store.get(accountId, newId())).toBeNull()
      })
    )

    it.effect("replaces the fields of an item that can change, and no others", () =>
      Effect.gen(function* () {
        const store = yield* ItemStore
        const accountId = yield* freshAccountId
        const item = draft("a")
        const other = draft("b")
        yield* store.write(accountId, inserts(item, other))
        const values = { ...full({ id: item.id }), version: 2 }
        yield* store.write(accountId, updates({ ...values, storeId: newId(), source: "Shopify" }))
        const { createdAt, externalId, source, storeId } = item
        const after = { ...values, createdAt, externalId, source, storeId }
        expect(byId(yield* store.find(accountId, null, ["a", "b"]))).toEqual([after, other])
        const back = { ...item, version: 3 }
        yield* store.write(accountId, {
          ...updates(back, changed(other, { name: "B" })),
          inserts: [draft("c")]
        })
        expect((yield* store.find(accountId, null, ["a"]))[0]).toEqual(back)
        expect(yield* store.count(accountId)).toBe(3)
      })
    )

    it.effect("writes only the changed fields of an update", () =>
      Effect.gen(function* () {
        const store = yield* ItemStore
        const accountId = yield* freshAccountId
        const items = [full({ version: 1 }), draft("a"), ofStore(newId(), "a")] as const
        yield* store.write(accountId, inserts(...items))
        const priced = items.map((item, index) =>
          changed(item, { price: `${index}.5`, stockQuantity: index })
        )
        yield* store.write(accountId, { ...updates(...priced), updatedFields: ["price", "stockQuantity"] })
        const find = (storeId: string | null) =>
          Effect.map(store.find(accountId, storeId, ["a", oddText.trim()]), byId)
        expect(yield* find(null)).toEqual(priced.slice(0, 2))
        expect(yield* find(items[2].storeId)).toEqual(priced.slice(2))
        const touched = priced.map((item) => changed(item, {}))
        yield* store.write(accountId, { ...updates(...touched), updatedFields: [] })
        expect(yield* find(null)).toEqual(touched.slice(0, 2))
      })
    )

    it.effect("rejects an id of the owner with its whole batch, and allows it for another owner", () =>
      Effect.gen(function* () {
        const store = yield* ItemStore
        const accountId = yield* freshAccountId
        const storeId = newId()
        yield* store.write(accountId, inserts(draft("a"), ofStore(storeId, "a")))
        const own = yield* expectFailure(
          store.write(accountId, inserts(draft("b"), draft("a"))),
          "WriteConflict"
        )
        expect(own.constraint).toBe("items_external_id")
        const its = yield* expectFailure(
          store.write(accountId, inserts(draft("b"), ofStore(storeId, "a"))),
          "WriteConflict"
        )
        expect(its.constraint).toBe("items_store_external_id")
        expect(yield* store.find(accountId, null, ["b"])).toEqual([])
        yield* store.write(yield* freshAccountId, inserts(draft("a"), ofStore(storeId, "a")))
        expect(yield* store.count(accountId)).toBe(2)
      })
    )

    it.effect("rejects an update of another version, of an unknown item, and of another account's item", () =>
      Effect.gen(function* () {
        const store = yield* ItemStore
        const accountId = yield* freshAccountId
        const otherId = yield* freshAccountId
        const item = draft("a")
        const theirs = draft("theirs")
        yield* store.write(accountId, inserts(item))
        yield* store.write(otherId, inserts(theirs))
        const rejected = [
          updates({ ...item, version: 3 }),
          updates({ ...item, name: "same version" }),
          updates(changed(draft("b"), {})),
          updates(changed(theirs, {})),
          { ...updates({ ...item, version: 9 }), inserts: [draft("c")] }
        ]
        for (const changes of rejected) {
          const { constraint } = yield* expectFailure(store.write(accountId, changes), "WriteConflict")
          expect(constraint).toBe("items_version")
        }
        yield* expectFailure(store.write(accountId, updates(changed(draft("a"), {}))), "WriteConflict")
        expect(yield* store.find(accountId, null, ["a", "b", "c"])).toEqual([item])
        expect(yield* store.find(otherId, null, ["theirs"])).toEqual([theirs])
        expect(yield* store.count(accountId)).toBe(1)
      })
    )

    it.effect("accepts one of concurrent writers, and loses none of its items", () =>
      Effect.gen(function* () {
        const store = yield* ItemStore
        const accountId = yield* freshAccountId
        const twins = times(10, () => draft("a"))
        const added = yield* atOnce(
          twins.map((item) => Effect.as(store.write(accountId, inserts(item)), item))
        )
        expectOnlyFailures(added, "WriteConflict")
        expect(yield* store.find(accountId, null, ["a"])).toEqual(successes(added))
        const [item] = successes(added)
        const versions = times(10, (index) => changed(item!, { name: `name ${index}` }))
        const written = yield* atOnce(
          versions.map((version) => Effect.as(store.write(accountId, updates(version)), version))
        )
        expectOnlyFailures(written, "WriteConflict")
        expect(yield* store.find(accountId, null, ["a"])).toEqual(successes(written))
        expect(yield* store.count(accountId)).toBe(1)
      })
    )

    it.effect("lets batches that overlap in any order wait for each other", () =>
      Effect.gen(function* () {
        const store = yield* ItemStore
        const accountId = yield* freshAccountId
        const items = times(60, (index) => draft(`item ${index}`))
        yield* store.write(accountId, inserts(...items))
        const orders = times(8, (index) => (index % 2 === 0 ? items : items.toReversed()))
        const exits = yield* atOnce(
          orders.map((order) => store.write(accountId, updates(...order.map((item) => changed(item, {})))))
        )
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(1)
      })
    )

    it.effect("removes items of their owner, and reduces the count", () =>
      Effect.gen(function* () {
        const store = yield* ItemStore
        const accountId = yield* freshAccountId
        const storeId = newId()
        const item = draft("a")
        yield* store.write(accountId, inserts(item, draft("b"), ofStore(storeId, "a"), ofStore(storeId, "b")))
        expect(yield* store.remove(accountId, null, ["a", "a", "none"])).toBe(1)
        expect(yield* store.remove(accountId, null, ["a"])).toBe(0)
        expect(yield* store.remove(accountId, null, [])).toBe(0)
        expect(yield* store.remove(yield* freshAccountId, null, ["b"])).toBe(0)
        expect(yield* store.remove(accountId, newId(), ["b"])).toBe(0)
        expect(yield* store.count(accountId)).toBe(3)
        yield* expectFailure(store.write(accountId, updates(changed(item, {}))), "WriteConflict")
        yield* store.write(accountId, inserts(draft("a")))
        expect(yield* store.remove(accountId, storeId, ["b", "a"])).toBe(2)
        expect(yield* store.count(accountId)).toBe(2)
        expect((yield* store.find(accountId, null, ["a", "b"])).length).toBe(2)
        const removed = yield* atOnce(times(6, () => store.remove(accountId, null, ["b"])))
        expect(successes(removed).toSorted()).toEqual([0, 0, 0, 0, 0, 1])
        expect(yield* store.count(accountId)).toBe(1)
      })
    )

    it.effect("changes nothing in a transaction that is rolled back", () =>
      Effect.gen(function* () {
        const store = yield* ItemStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const item = draft("a")
        yield* store.write(accountId, inserts(item))
        yield* Effect.ignore(
          run(
            Effect.gen(function* () {
              yield* store.write(accountId, {
                ...updates(changed(item, { name: "x" })),
                inserts: [draft("b")]
              })
              yield* store.remove(accountId, null, ["a"])
              return yield* Effect.fail("stop")
            })
          )
        )
        expect(yield* store.find(accountId, null, ["a", "b"])).toEqual([item])
        expect(yield* store.count(accountId)).toBe(1)
      })
    )

    it.effect("keeps the limit, stores' items included, also between concurrent writers", () =>
      Effect.gen(function* () {
        const store = yield* ItemStore
        const accountId = yield* freshAccountId
        const storeId = newId()
        const size = 20_000
        for (let start = 0; start < maxItems - 3; start += size) {
          const count = Math.min(size, maxItems - 3 - start)
          yield* store.write(
            accountId,
            inserts(...times(count, (index) => ofStore(storeId, `item ${start + index}`)))
          )
        }
        const past = yield* expectFailure(
          store.write(accountId, inserts(...times(4, (index) => draft(`past ${index}`)))),
          "WriteConflict"
        )
        expect(past.constraint).toBe("items_limit")
        const exits = yield* atOnce(
          times(8, (index) => store.write(accountId, inserts(draft(`one ${index}`))))
        )
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(3)
        expect(yield* store.count(accountId)).toBe(maxItems)
        expect(yield* store.remove(accountId, storeId, ["item 5"])).toBe(1)
        yield* store.write(accountId, inserts(draft("last")))
        const [last] = yield* store.find(accountId, null, ["last"])
        yield* store.write(accountId, updates(changed(last!, { name: "still" })))
        expect(yield* store.count(accountId)).toBe(maxItems)
      })
    )

    it.effect("recommends the newest of a category that are active and in stock", () =>
      Effect.gen(function* () {
        const store = yield* ItemStore
        const accountId = yield* freshAccountId
        const make = (externalId: string, minutes: number, values: Partial<Item>) =>
          draft(externalId, { categories: ["Shoes"], createdAt: now + minutes, ...values })
        const oldest = make("oldest", 0, { stockQuantity: 1 })
        const twin = make("twin", 1, { categories: [oddText, "Shoes", "Boots"] })
        const twins = [twin, make("twin 2", 1, { categories: ["shoes"] })]
        const newest = make("newest", 9, { storeId: newId(), source: "WooCommerce" })
        const left = [
          make("inactive", 5, { active: false }),
          make("sold out", 5, { inStock: false }),
          make("none left", 5, { stockQuantity: 0 }),
          make("oversold", 5, { stockQuantity: -1 })
        ]
        yield* store.write(accountId, inserts(oldest, ...twins, newest, ...left))
        yield* store.write(yield* freshAccountId, inserts(make("theirs", 1, {})))
        const chosen = yield* store.recommend(accountId, ["Shoes", oddText, "Sho", null, "Shoes"])
        expect(chosen).toEqual([
          [newest, twin, oldest],
          [twin],
          [],
          [newest, twins[1], twin, oldest],
          [newest, twin, oldest]
        ])
        const many = times(maxRecommended + 5, (index) =>
          make(`many ${index}`, index, { categories: ["Many"] })
        )
        yield* store.write(accountId, inserts(...many))
        expect(yield* store.recommend(accountId, ["Many"])).toEqual([
          many.toReversed().slice(0, maxRecommended)
        ])
        expect(yield* store.recommend(accountId, [])).toEqual([])
        yield* store.write(
          accountId,
          updates(changed(newest, { active: false }), changed(left[1]!, { inStock: true }))
        )
        const [names] = yield* store.recommend(accountId, ["Shoes"])
        expect(names?.map((item) => item.name)).toEqual(["sold out", "twin", "oldest"])
      })
    )

    it.effect("recommends the same as a recount after any history", () =>
      Effect.gen(function* () {
        const store = yield* ItemStore
        const categories = ["Shoes", "Boots", "=", oddText]
        const values = fc.record({
          active: fc.boolean(),
          inStock: fc.boolean(),
          stockQuantity: fc.constantFrom(null, -1, 0, 1, 7),
          categories: fc.subarray(categories)
        })
        const step = fc.oneof(
          fc.record({ at: fc.nat(5), facts: values }),
          fc.record({ at: fc.nat(5), facts: values.map(({ stockQuantity }) => ({ stockQuantity })) }),
          fc.record({ at: fc.nat(5), facts: fc.constant(null) })
        )
        for (const history of fc.sample(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 8 }), 12)) {
          const accountId = yield* freshAccountId
          const current = new Map<number, Item>()
          for (const steps of history) {
            const before = new Map(current)
            const fields = new Set<keyof Item>()
            const gone: Array<string> = []
            for (const { at, facts } of new Map(steps.map((one) => [one.at, one])).values()) {
              const item = before.get(at)
              if (facts === null) {
                if (item !== undefined) gone.push(item.externalId)
                current.delete(at)
              } else if (item === undefined)
                current.set(at, draft(`item ${at}`, { createdAt: now + at, ...facts }))
              else {
                for (const field of Object.keys(facts) as ReadonlyArray<keyof Item>) fields.add(field)
                current.set(at, changed(item, facts))
              }
            }
            const written = [...current].filter(([at, item]) => before.get(at) !== item)
            yield* store.write(accountId, {
              inserts: written.flatMap(([at, item]) => (before.has(at) ? [] : [item])),
              updates: written.flatMap(([at, item]) => (before.has(at) ? [item] : [])),
              updatedFields: [...fields]
            })
            yield* store.remove(accountId, null, gone)
          }
          const newest = [...current.values()]
            .filter(({ active, inStock, stockQuantity }) => active && inStock && (stockQuantity ?? 1) > 0)
            .toSorted((a, b) => b.createdAt - a.createdAt)
          expect(yield* store.recommend(accountId, [null, "", ...categories])).toEqual([
            newest,
            [],
            ...categories.map((category) => newest.filter((item) => item.categories.includes(category)))
          ])
        }
      })
    )

    it.effect("lists items by any filter, in both directions, by time and by name", () =>
      Effect.gen(function* () {
        const store = yield* ItemStore
        const accountId = yield* freshAccountId
        const [one, two] = [newId(), newId()]
        const names = ["Shoe", "shirt", "ÉTUI", "étui", "Zebra", "a"]
        const made = times(24, (index) => {
          const values = {
            name: names[index % names.length]!,
            kind: itemKinds[index % 2]!,
            active: index % 5 > 0,
            createdAt: now - Math.floor(index / 3) * 1_000
          }
          return index % 3 === 0
            ? draft(`SKU-${index}`, values)
            : ofStore(index % 3 === 1 ? one : two, `SKU-${index}`, values)
        })
        yield* store.write(accountId, inserts(...made))
        const any: ItemFilter = { storeId: null, kind: null, active: null, q: null }
        const byTime = made.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
        const filters: ReadonlyArray<readonly [Partial<ItemFilter>, (item: Item) => boolean]> = [
          [{}, () => true],
          [{ storeId: [one] }, ({ storeId }) => storeId === one],
          [{ storeId: [one, two] }, ({ storeId }) => storeId !== null],
          [{ kind: ["plan"] }, ({ kind }) => kind === "plan"],
          [{ active: false }, ({ active }) => !active],
          [
            { since: now - 5_000, until: now - 2_000 },
            ({ createdAt }) => createdAt >= now - 5_000 && createdAt < now - 2_000
          ],
          [{ q: "étui" }, ({ name }) => foldCase(name) === "étui"],
          [{ q: "sh" }, ({ name }) => foldCase(name).startsWith("sh")],
          [{ q: "sku-1" }, ({ externalId }) => externalId.startsWith("SKU-1")],
          [{ q: "%" }, () => false]
        ]
        for (const [filter, passes] of filters) {
          const list = (page: PageRequest) => store.list(accountId, { ...any, ...filter }, page)
          const expected = byTime.filter(passes)
          expect(yield* readPages(list, 5)).toEqual(expected)
          expect(yield* readOn(list, 5)).toEqual(expected)
          expect(yield* readOn(list, 5, true)).toEqual(expected.toReversed())
          const named = (page: PageRequest) =>
            list({ ...page, sort: { by: "name", ascending: page.sort!.ascending } })
          const byName = expected.toSorted((a, b) => {
            const [x, y] = [foldCase(a.name), foldCase(b.name)]
            return x === y ? (a.id < b.id ? -1 : 1) : x < y ? -1 : 1
          })
          expect(yield* readOn(named, 5, true)).toEqual(byName)
          expect(yield* readOn(named, 5)).toEqual(byName.toReversed())
        }
        expect((yield* store.list(yield* freshAccountId, any, firstPage)).items).toEqual([])
      })
    )
  })
}
