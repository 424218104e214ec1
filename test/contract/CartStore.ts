/**
 * The contract of `core/ports/CartStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Cart } from "../../core/model/Cart.ts"
import { newCart } from "../../core/commerce/sync/CartRules.ts"
import { CartStore } from "../../core/ports/CartStore.ts"
import {
  atOnce,
  byId,
  expectFailure,
  expectOnlyFailures,
  freshAccountId,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times,
  unique
} from "./fixtures.ts"

const draft = (storeId: string, values: Partial<Cart> = {}): Cart => ({
  ...newCart(newId(), storeId, unique("cart")),
  version: 1,
  ...values
})

/** Tests of the port `CartStore`. */
export const cartStoreContract = (it: StorageTest): void => {
  describe("CartStore", () => {
    it.effect("returns carts as they were written, by external id, id and contact", () =>
      Effect.gen(function* () {
        const carts = yield* CartStore
        const accountId = yield* freshAccountId
        const storeId = newId()
        const contactId = newId()
        const full = draft(storeId, {
          contactId,
          currency: "EUR",
          total: "10.50",
          lineCount: 2,
          lines: [{ productId: null, name: oddText, quantity: 3, price: "3.50" }],
          url: "https://shop.example/cart",
          content: 4,
          changedAt: now,
          sourceUpdatedAt: now + 1,
          abandonedContent: 3
        })
        const closed = draft(storeId, { contactId, closedAt: now })
        const elsewhere = draft(newId(), { contactId })
        yield* carts.write(accountId, [full, closed, elsewhere])
        const ids = [full.externalId, closed.externalId]
        expect(byId(yield* carts.find(accountId, storeId, [...ids, ...ids, "none"]))).toEqual(
          byId([full, closed])
        )
        expect(yield* carts.ofContacts(accountId, storeId, [contactId, contactId, newId()])).toEqual([full])
        expect(byId(yield* carts.get(accountId, [full.id, elsewhere.id, newId()]))).toEqual(
          byId([full, elsewhere])
        )
        const other = yield* freshAccountId
        expect(yield* carts.find(other, storeId, ids)).toEqual([])
        expect(yield* carts.ofContacts(other, storeId, [contactId])).toEqual([])
        expect(yield* carts.get(other, [full.id])).toEqual([])
        const changed = { ...full, closedAt: now + 2, url: null, version: 2 }
        yield* carts.write(accountId, [changed])
        expect(yield* carts.get(accountId, [full.id])).toEqual([changed])
      })
    )

    it.effect("rejects taken external ids and stale versions, and writes nothing of the batch", () =>
      Effect.gen(function* () {
        const carts = yield* CartStore
        const accountId = yield* freshAccountId
        const storeId = newId()
        const cart = draft(storeId)
        yield* carts.write(accountId, [cart])
        const other = draft(storeId)
        const conflictOf = (...written: ReadonlyArray<Cart>) =>
          Effect.map(
            expectFailure(carts.write(accountId, written), "WriteConflict"),
            (error) => error.constraint
          )
        expect(yield* conflictOf(other, draft(storeId, { externalId: cart.externalId }))).toBe(
          "carts_external_id"
        )
        expect(yield* conflictOf(other, { ...cart, version: 3 })).toBe("carts_version")
        expect(yield* conflictOf(other, cart)).toBe("carts_version")
        expect(yield* conflictOf(other, draft(storeId, { version: 2 }))).toBe("carts_version")
        expect(yield* carts.get(accountId, [other.id])).toEqual([])
        const exits = yield* atOnce(
          times(6, (content) => carts.write(accountId, [{ ...cart, content, version: 2 }]))
        )
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(1)
      })
    )

    it.effect("erases the carts of contacts and returns their ids", () =>
      Effect.gen(function* () {
        const carts = yield* CartStore
        const accountId = yield* freshAccountId
        const [contactId, second] = [newId(), newId()]
        const theirs = [
          draft(newId(), { contactId }),
          draft(newId(), { contactId, closedAt: now }),
          draft(newId(), { contactId: second })
        ]
        const kept = [draft(newId(), { contactId: newId() }), draft(newId())]
        yield* carts.write(accountId, [...theirs, ...kept])
        const people = [contactId, second, newId(), contactId]
        expect(yield* carts.erase(yield* freshAccountId, people)).toEqual([])
        expect(yield* carts.erase(accountId, [])).toEqual([])
        const gone = yield* carts.erase(accountId, people)
        expect(gone.toSorted()).toEqual(theirs.map((cart) => cart.id).toSorted())
        expect(byId(yield* carts.get(accountId, [...gone, ...kept.map(({ id }) => id)]))).toEqual(byId(kept))
      })
    )
  })
}
