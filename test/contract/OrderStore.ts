/**
 * The contract of `core/ports/OrderStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { isBought, nameOfOrder, type Order, orderStatuses } from "../../core/model/Order.ts"
import { ConnectedStores } from "../../core/ports/ConnectedStores.ts"
import { type OrderChange, type OrderFilter, OrderStore } from "../../core/ports/OrderStore.ts"
import { comparePlaces, type PageRequest } from "../../core/shared/Page.ts"
import { foldCase } from "../../core/shared/Validate.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { draftStore } from "./ConnectedStores.ts"
import { draftOrder } from "./drafts.ts"
import {
  atOnce,
  byId,
  expectFailure,
  expectOnlyFailures,
  firstPage,
  freshAccountId,
  newEmail,
  newId,
  now,
  oddText,
  readOn,
  readPages,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const day = 86_400_000

const added = (after: Order): OrderChange => ({ before: null, after })
const changed = (before: Order, values: Partial<Order>): OrderChange => ({
  before,
  after: { ...before, ...values, version: before.version + 1 }
})

const any: OrderFilter = { storeId: null, statuses: orderStatuses, since: null, search: null }

/** A new account with a store. */
const freshStore = Effect.gen(function* () {
  const accountId = yield* freshAccountId
  const store = draftStore(accountId)
  yield* (yield* ConnectedStores).insert(store)
  return { accountId, storeId: store.id }
})

/** Tests of the port `OrderStore`. */
export const orderStoreContract = (it: StorageTest): void => {
  describe("OrderStore", () => {
    it.effect("returns the placed orders of contacts since a time", () =>
      Effect.gen(function* () {
        const orders = yield* OrderStore
        const { accountId, storeId } = yield* freshStore
        const [contactId, other] = [newId(), newId()]
        const made = [
          draftOrder(storeId, { contactId, status: "Cancelled", placedAt: now }),
          draftOrder(storeId, { contactId, status: "Draft", placedAt: now }),
          draftOrder(storeId, { contactId, status: "Paid", placedAt: now - 1 }),
          draftOrder(storeId, { contactId: other, status: "Pending", placedAt: now + 1 }),
          draftOrder(storeId, { contactId: null, status: "Pending", placedAt: now + 1 })
        ]
        yield* orders.write(accountId, made.map(added))
        const found = yield* orders.placedBy(accountId, [contactId, other, contactId], now)
        expect(byId(found)).toEqual(byId([made[0]!, made[3]!]))
        expect(yield* orders.placedBy(accountId, [], now)).toEqual([])
        expect(yield* orders.placedBy(newId(), [contactId], now)).toEqual([])
      })
    )

    it.effect("returns orders as they were written, changed and removed", () =>
      Effect.gen(function* () {
        const orders = yield* OrderStore
        const { accountId, storeId } = yield* freshStore
        const full = draftOrder(storeId, {
          number: oddText,
          status: "Completed",
          total: "123456789012345.123456",
          email: newEmail(),
          customerName: oddText,
          contactId: newId(),
          paidAt: now + 1,
          reached: ["Placed", "Paid"],
          placedAt: now - 5
        })
        const plain = draftOrder(storeId)
        yield* orders.write(accountId, [added(full), added(plain)])
        expect(yield* orders.get(accountId, full.id)).toEqual(full)
        expect(yield* orders.get(accountId, newId())).toBeNull()
        expect(yield* orders.get(newId(), full.id)).toBeNull()
        const ids = [full.externalId, plain.externalId]
        expect(byId(yield* orders.find(accountId, storeId, [...ids, ...ids, "none"]))).toEqual(
          byId([full, plain])
        )
        expect(yield* orders.find(accountId, newId(), ids)).toEqual([])
        expect(yield* orders.find(yield* freshAccountId, storeId, ids)).toEqual([])
        const change = changed(plain, { status: "Refunded", total: "0.10", number: "7", placedAt: now + day })
        yield* orders.write(accountId, [change, { before: full, after: null }])
        expect(yield* orders.find(accountId, storeId, ids)).toEqual([change.after])
        expect((yield* orders.list(accountId, any, firstPage)).items).toEqual([change.after])
      })
    )

    it.effect("rejects taken external ids and stale versions, and writes nothing of the batch", () =>
      Effect.gen(function* () {
        const orders = yield* OrderStore
        const { accountId, storeId } = yield* freshStore
        const order = draftOrder(storeId)
        yield* orders.write(accountId, [added(order)])
        const conflictOf = (changes: ReadonlyArray<OrderChange>) =>
          Effect.map(
            expectFailure(orders.write(accountId, changes), "WriteConflict"),
            (error) => error.constraint
          )
        const other = added(draftOrder(storeId))
        expect(yield* conflictOf([other, added(draftOrder(storeId, { externalId: order.externalId }))])).toBe(
          "orders_external_id"
        )
        const stale = { ...order, version: 7 }
        expect(yield* conflictOf([other, changed(stale, {})])).toBe("orders_version")
        expect(yield* conflictOf([other, { before: stale, after: null }])).toBe("orders_version")
        expect(yield* conflictOf([other, changed(draftOrder(storeId), {})])).toBe("orders_version")
        expect(yield* orders.list(accountId, any, firstPage)).toMatchObject({ items: [order], totalCount: 1 })
        yield* orders.write(accountId, [added(draftOrder(newId(), { externalId: order.externalId }))])
      })
    )

    it.effect("accepts one of concurrent writers of an order", () =>
      Effect.gen(function* () {
        const orders = yield* OrderStore
        const { accountId, storeId } = yield* freshStore
        const order = draftOrder(storeId)
        yield* orders.write(accountId, [added(order)])
        const exits = yield* atOnce(
          times(8, (index) => orders.write(accountId, [changed(order, { lineCount: index })]))
        )
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(1)
      })
    )

    it.effect("lists by time and by name with any filter, with the exact total", () =>
      Effect.gen(function* () {
        const orders = yield* OrderStore
        const { accountId, storeId } = yield* freshStore
        const second = draftStore(accountId)
        yield* (yield* ConnectedStores).insert(second)
        const made = times(40, (index) =>
          draftOrder(index % 3 === 0 ? second.id : storeId, {
            status: orderStatuses[index % orderStatuses.length]!,
            placedAt: now - Math.floor(index / 2) * 7 * 3_600_000,
            number: index % 8 === 7 ? null : `${index % 8 === 3 ? "Ŕ #0" : "R-"}${index}`,
            email: `Buyer${index % 5}@shop.example`,
            customerName: [null, "Ïda Öl", "Pat O'Neil & Söhne \\ 🛒 Co", "x:*y | !z <-> 'q'"][index % 4]!
          })
        )
        yield* orders.write(accountId, made.map(added))
        const newest = made.toSorted((a, b) => b.placedAt - a.placedAt || (a.id < b.id ? 1 : -1))
        const arbitrary = fc.record({
          storeId: fc.constantFrom(null, [storeId], [second.id], [newId()], [storeId, second.id]),
          statuses: fc.subarray([...orderStatuses]),
          since: fc.option(fc.integer({ min: now - 7 * day, max: now + day })),
          until: fc.option(fc.integer({ min: now - 7 * day, max: now + day })),
          search: fc.oneof(
            fc.constantFrom(
              null,
              "r-1",
              "buyer3@",
              "ÏDA",
              "0",
              "%",
              "shop.example",
              "x\ny",
              "1\nb",
              "*y | !z <"
            ),
            // Substrings of every length of the stored texts, and the same ones with a different character in the middle.
            fc
              .tuple(fc.constantFrom(...made), fc.nat(40), fc.nat(24), fc.constantFrom("", "", "-"))
              .map(([order, from, length, odd]) => {
                const characters = Array.from([order.number, order.email, order.customerName].join("\n"))
                const piece = characters.slice(from, from + length)
                return [...piece.slice(0, length >> 1), odd, ...piece.slice(length >> 1)].join("") || null
              })
          )
        })
        for (const given of fc.sample(arbitrary, 100)) {
          const search = given.search === null ? null : foldCase(given.search)
          const filter: OrderFilter = { ...given, search }
          const expected = newest.filter(
            ({ customerName, email, number, placedAt, status, storeId: of }) =>
              (filter.storeId === null || filter.storeId.includes(of)) &&
              filter.statuses.includes(status) &&
              (given.since === null || placedAt >= given.since) &&
              (given.until === null || placedAt < given.until) &&
              (search === null || foldCase([number, email, customerName].join("\n")).includes(search))
          )
          expect(yield* readPages((page) => orders.list(accountId, filter, page), 9)).toEqual(expected)
          expect(yield* readOn((page) => orders.list(accountId, filter, page), 9)).toEqual(expected)
          if (search !== null) continue
          const oldest = yield* readOn((page) => orders.list(accountId, filter, page), 9, true)
          expect(oldest).toEqual(expected.toReversed())
          const named = expected.toSorted((a, b) =>
            comparePlaces([nameOfOrder(a), a.id], [nameOfOrder(b), b.id])
          )
          for (const ascending of [true, false]) {
            const byName = (page: PageRequest) =>
              orders.list(accountId, filter, { ...page, sort: { by: "name", ascending } })
            expect(yield* readOn(byName, 9)).toEqual(ascending ? named : named.toReversed())
            expect(yield* readPages(byName, 9)).toEqual(ascending ? named : named.toReversed())
          }
        }
      })
    )

    it.effect("returns the total of a search", () =>
      Effect.gen(function* () {
        const orders = yield* OrderStore
        const { accountId, storeId } = yield* freshStore
        const small = draftStore(accountId)
        yield* (yield* ConnectedStores).insert(small)
        const made = times(1250, (index) =>
          draftOrder(index % 125 === 7 ? small.id : storeId, {
            status: orderStatuses[index % 3]!,
            placedAt: now - Math.floor(index / 2) * 3_600_000,
            number: `R-${index}`,
            email: `${index < 400 ? "new" : "old"}${index % 300}@shop.example`
          })
        )
        yield* orders.write(accountId, made.map(added))
        const newest = made.toSorted((a, b) => b.placedAt - a.placedAt || (a.id < b.id ? 1 : -1))
        const filters = [
          any,
          { ...any, statuses: orderStatuses.slice(1, 2) },
          { ...any, storeId: [small.id] },
          { ...any, since: now - 500 * 3_600_000 }
        ]
        for (const search of [
          "@shop.example",
          "e",
          "old",
          "new",
          "old9",
          "r-123",
          "-7",
          "299@shop",
          "nobody@shop"
        ]) {
          for (const filter of filters) {
            const expected = newest.filter(
              ({ email, number, placedAt, status, storeId: of }) =>
                (filter.storeId === null || filter.storeId.includes(of)) &&
                filter.statuses.includes(status) &&
                ((filter.since ?? null) === null || placedAt >= filter.since!) &&
                foldCase([number, email].join("\n")).includes(search)
            )
            for (const page of [1, 5, 6, 7]) {
              expect(
                yield* orders.list(accountId, { ...filter, search }, { page, pageSize: 200 })
              ).toMatchObject({
                items: expected.slice((page - 1) * 200, page * 200),
                page,
                pageSize: 200,
                totalCount: expected.length
              })
            }
          }
        }
        expect((yield* orders.list(accountId, any, firstPage)).totalCount).toBe(1250)
      })
    )

    it.effect("returns the total of a search up to 10,000, and above it that there are more", () =>
      Effect.gen(function* () {
        const orders = yield* OrderStore
        const { accountId, storeId } = yield* freshStore
        const made = times(10_020, (index) =>
          draftOrder(storeId, {
            status: index < 9_990 ? "Paid" : "Pending",
            placedAt: now - index * 1_000,
            number: `R-${index}`
          })
        )
        for (let from = 0; from < made.length; from += 5_010) {
          yield* orders.write(accountId, made.slice(from, from + 5_010).map(added))
        }
        const totalOf = (filter: OrderFilter, page: number) =>
          Effect.map(orders.list(accountId, filter, { page, pageSize: 200 }), ({ items, totalCount }) => [
            items.length,
            totalCount
          ])
        const search = { ...any, search: "r-" }
        expect(yield* totalOf(search, 1)).toEqual([200, 10_001])
        expect(yield* totalOf(search, 50)).toEqual([200, 10_001])
        expect(yield* totalOf(search, 51)).toEqual([20, 10_020])
        expect(yield* totalOf({ ...search, statuses: ["Paid"] }, 1)).toEqual([200, 9_990])
        expect(yield* totalOf({ ...any, search: "r-9" }, 1)).toEqual([200, 1_111])
        expect(yield* totalOf(any, 1)).toEqual([200, 10_020])
      })
    )

    it.effect("lists pages far behind the first", () =>
      Effect.gen(function* () {
        const orders = yield* OrderStore
        const { accountId, storeId } = yield* freshStore
        // Days with one order, with hundreds, and without any.
        const made = times(1600, (index) =>
          draftOrder(storeId, {
            status: orderStatuses[index % 3]!,
            placedAt: now - (index < 900 ? Math.floor(index / 300) : index - 800) * day - index * 1000
          })
        )
        yield* orders.write(accountId, made.map(added))
        yield* orders.write(
          accountId,
          made.slice(0, 40).map((before) => ({ before, after: null }))
        )
        const left = made.slice(40)
        for (const [statuses, since] of [
          [orderStatuses, null],
          [orderStatuses.slice(0, 2), null],
          [orderStatuses, now - 500 * day],
          [orderStatuses, now - 2 * day]
        ] as const) {
          const expected = left.filter(
            ({ placedAt, status }) => statuses.includes(status) && (since === null || placedAt >= since)
          )
          for (const skipped of [900, 1020, 1440, 1500, 1560, 3000]) {
            const page = { page: skipped / 60 + 1, pageSize: 60 }
            expect(yield* orders.list(accountId, { ...any, statuses, since }, page)).toMatchObject({
              items: expected.slice(skipped, skipped + 60),
              ...page,
              totalCount: expected.length
            })
          }
        }
      })
    )

    it.effect("sums what contacts bought by their current orders", () =>
      Effect.gen(function* () {
        const orders = yield* OrderStore
        const { accountId, storeId } = yield* freshStore
        const [some, none] = [newId(), newId()]
        const made = orderStatuses.flatMap((status, index) => [
          draftOrder(storeId, { status, contactId: some, total: `${index}.1`, placedAt: now + index }),
          draftOrder(storeId, { status, contactId: index < 1 ? none : null, total: "5" })
        ])
        yield* orders.write(accountId, made.map(added))
        const bought = made.filter((order) => order.contactId === some && isBought(order.status))
        expect(yield* orders.totals(accountId, [some, none, newId()])).toEqual([
          {
            contactId: some,
            orderCount: bought.length,
            totalSpent: "3.2",
            lastOrderAt: Math.max(...bought.map((order) => order.placedAt))
          }
        ])
        expect(yield* orders.totals(yield* freshAccountId, [some])).toEqual([])
      })
    )

    it.effect("erases the orders of contacts, their texts and their share of the totals", () =>
      Effect.gen(function* () {
        const orders = yield* OrderStore
        const { accountId, storeId } = yield* freshStore
        const people = [newId(), newId()]
        const kept = draftOrder(storeId, { email: "kept@shop.example", contactId: newId() })
        yield* orders.write(accountId, [
          added(kept),
          ...times(6, (index) =>
            added(
              draftOrder(storeId, {
                contactId: people[index % 2]!,
                email: "gone@shop.example",
                placedAt: now - (index % 3) * day
              })
            )
          )
        ])
        yield* orders.erase(yield* freshAccountId, people)
        yield* orders.erase(accountId, [])
        expect((yield* orders.list(accountId, any, firstPage)).totalCount).toBe(7)
        yield* orders.erase(accountId, [...people, newId(), people[0]!])
        for (const search of [null, "shop.example"]) {
          expect(yield* orders.list(accountId, { ...any, search }, firstPage)).toMatchObject({
            items: [kept],
            ...firstPage,
            totalCount: 1
          })
        }
      })
    )

    it.effect("writes in the caller's transaction", () =>
      Effect.gen(function* () {
        const orders = yield* OrderStore
        const { run } = yield* Transaction
        const { accountId, storeId } = yield* freshStore
        yield* Effect.ignore(
          run(Effect.andThen(orders.write(accountId, [added(draftOrder(storeId))]), Effect.fail("no")))
        )
        expect(yield* orders.list(accountId, any, firstPage)).toMatchObject({ items: [], totalCount: 0 })
      })
    )
  })
}
