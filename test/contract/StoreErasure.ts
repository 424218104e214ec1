/**
 * Tests how each storage port erases a store, page by page.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { newItem } from "../../core/model/Item.ts"
import { newCart } from "../../core/commerce/sync/CartRules.ts"
import type { Order } from "../../core/model/Order.ts"
import { CartStore } from "../../core/ports/CartStore.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { ItemStore } from "../../core/ports/ItemStore.ts"
import { OrderStore } from "../../core/ports/OrderStore.ts"
import { SyncStore } from "../../core/ports/SyncStore.ts"
import { TimelineStore } from "../../core/ports/TimelineStore.ts"
import { namedEvents } from "./SyncStore.ts"
import type { Unavailable } from "../../core/shared/Problem.ts"
import { draftOrder } from "./drafts.ts"
import {
  changes,
  draftContact,
  firstPage,
  freshAccountId,
  newId,
  now,
  type StorageTest,
  times,
  unique
} from "./fixtures.ts"

/** Erases in pages of two until nothing is left. Returns the size of each page. */
const pagesOf = Effect.fnUntraced(function* (remove: Effect.Effect<number, Unavailable>) {
  const counts: Array<number> = []
  while (counts.at(-1) !== 0) counts.push(yield* remove)
  return counts
})

/** Tests the methods of the ports that erase a store's data. */
export const storeErasureContract = (it: StorageTest): void => {
  describe("the erasure of a store", () => {
    it.effect("returns only its contacts and orders, without erased ones", () =>
      Effect.gen(function* () {
        const contacts = yield* ContactStore
        const orders = yield* OrderStore
        const accountId = yield* freshAccountId
        const [store, other] = [newId(), newId()]
        const managed = times(3, () => draftContact({ storeId: store }))
        const others = [draftContact({ storeId: other }), draftContact()]
        yield* contacts.write(accountId, changes({ inserts: [...managed, ...others] }))
        const ids = managed.map((contact) => contact.id)
        expect((yield* contacts.ofStore(accountId, store, 10)).toSorted()).toEqual(ids.toSorted())
        expect(yield* contacts.ofStore(accountId, store, 2)).toHaveLength(2)
        expect(yield* contacts.ofStore(yield* freshAccountId, store, 10)).toEqual([])
        const made = times(3, () => draftOrder(store))
        const all: ReadonlyArray<Order> = [...made, draftOrder(other)]
        yield* orders.write(
          accountId,
          all.map((after) => ({ before: null, after }))
        )
        const byId = (found: ReadonlyArray<Order>) => found.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        expect(byId(yield* orders.ofStore(accountId, store, 10))).toEqual(byId(made))
        expect(yield* orders.ofStore(accountId, store, 2)).toHaveLength(2)
        expect(yield* orders.ofStore(yield* freshAccountId, store, 10)).toEqual([])
      })
    )

    it.effect("removes only its own carts, items, records and event ids", () =>
      Effect.gen(function* () {
        const [carts, items, sync] = [yield* CartStore, yield* ItemStore, yield* SyncStore]
        const accountId = yield* freshAccountId
        const [store, other] = [newId(), newId()]
        const contactId = newId()
        const cartOf = (storeId: string) => ({
          ...newCart(newId(), storeId, unique("cart")),
          contactId,
          version: 1
        })
        const made = times(3, () => cartOf(store))
        const kept = cartOf(other)
        yield* carts.write(accountId, [...made, kept])
        const gone: Array<string> = []
        const eraseCarts = Effect.map(carts.eraseStore(accountId, store, 2), (page) => {
          gone.push(...page.map((cart) => cart.id))
          expect(page.every((cart) => cart.contactId === contactId)).toBe(true)
          return page.length
        })
        expect(yield* pagesOf(eraseCarts)).toEqual([2, 1, 0])
        expect(gone.toSorted()).toEqual(made.map((cart) => cart.id).toSorted())
        expect(yield* carts.ofContacts(accountId, other, [contactId])).toEqual([kept])

        const itemOf = (storeId: string | null) => ({
          ...newItem({ storeId, source: "Shopify" as const }, newId(), unique("item"), now),
          categories: ["Tea"]
        })
        const [own, elsewhere] = [itemOf(null), itemOf(other)]
        const inserts = [...times(3, () => itemOf(store)), own, elsewhere]
        yield* items.write(accountId, { inserts, updates: [], updatedFields: "Any" })
        expect(yield* pagesOf(items.removeStore(accountId, store, 2))).toEqual([2, 1, 0])
        expect(yield* items.count(accountId)).toBe(2)
        expect(yield* items.recommend(accountId, ["Tea"])).toEqual([[elsewhere, own]])

        for (const storeId of [store, other]) {
          yield* sync.remember(accountId, storeId, namedEvents("a", "b", "c"), now)
          yield* sync.put(accountId, storeId, [
            { kind: "Product", externalId: "1", contactId: null, sourceUpdatedAt: now }
          ])
        }
        expect(yield* pagesOf(sync.eraseStore(accountId, store, 2))).toEqual([3, 1, 0])
        expect(yield* sync.seen(accountId, store, ["a", "b", "c"])).toEqual([])
        expect(yield* sync.find(accountId, store, "Product", ["1"])).toEqual([])
        expect(yield* sync.seen(accountId, other, ["a", "b", "c"])).toHaveLength(3)
        expect(yield* sync.find(accountId, other, "Product", ["1"])).toHaveLength(1)
      })
    )

    it.effect("removes the timeline entries that it reported, and keeps those of others", () =>
      Effect.gen(function* () {
        const [contacts, timeline] = [yield* ContactStore, yield* TimelineStore]
        const accountId = yield* freshAccountId
        const [store, other] = [newId(), newId()]
        const people = [draftContact(), draftContact()]
        yield* contacts.write(accountId, changes({ inserts: people }))
        const entryOf = (contactId: string, storeId: string, source = "Store") => ({
          id: newId(),
          contactId,
          name: "order.placed",
          occurredAt: now,
          properties: { storeId },
          source
        })
        const [first, second] = people.map((contact) => contact.id) as [string, string]
        const kept = [entryOf(first, other), entryOf(first, store, "Api")]
        yield* timeline.append(accountId, [entryOf(first, store), ...kept, entryOf(second, store)])
        yield* timeline.eraseStore(accountId, [first, first], store)
        expect((yield* timeline.list(accountId, first, firstPage)).items).toEqual(kept.toReversed())
        expect((yield* timeline.list(accountId, second, firstPage)).totalCount).toBe(1)
        yield* timeline.eraseStore(accountId, [], store)
      })
    )
  })
}
