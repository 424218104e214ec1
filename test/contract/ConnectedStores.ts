/**
 * The contract of `core/ports/ConnectedStores`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Store } from "../../core/model/Store.ts"
import { ConnectedStores, type StoreFilter } from "../../core/ports/ConnectedStores.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import {
  atOnce,
  expectFailure,
  expectOnlyFailures,
  firstPage,
  freshAccountId,
  newHash,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times,
  unique,
  listsNewestFirst
} from "./fixtures.ts"

/** A new connected store. */
export const draftStore = (accountId: string, values: Partial<Store> = {}): Store => ({
  id: newId(),
  accountId,
  platform: "Custom",
  name: "Shop",
  domain: `${unique("shop")}.example`,
  consentMode: "Explicit",
  currency: null,
  tokenHash: newHash(),
  tokenDisplay: "svc_store_ab...wxyz",
  webhookSecret: "sealed",
  connectedAt: now,
  disconnectedAt: null,
  ...values
})

/** Tests of the port `ConnectedStores`. */
export const connectedStoresContract = (it: StorageTest): void => {
  describe("ConnectedStores", () => {
    it.effect("returns a store as it was added and saved", () =>
      Effect.gen(function* () {
        const stores = yield* ConnectedStores
        const accountId = yield* freshAccountId
        const other = yield* freshAccountId
        const store = draftStore(accountId, { platform: "Shopify", name: oddText, currency: "EUR" })
        yield* stores.insert(store)
        expect(yield* stores.get(accountId, store.id)).toEqual(store)
        expect(yield* stores.get(other, store.id)).toBeNull()
        expect(yield* stores.byId(store.id)).toEqual(store)
        expect(yield* stores.byId(newId())).toBeNull()
        expect(yield* stores.ofDomain(accountId, "Shopify", store.domain)).toEqual(store)
        expect(yield* stores.ofDomain(accountId, "Custom", store.domain)).toBeNull()
        expect(yield* stores.ofDomain(other, "Shopify", store.domain)).toBeNull()
        const saved: Store = {
          ...store,
          name: "Again",
          consentMode: "None",
          currency: null,
          tokenHash: newHash(),
          tokenDisplay: "svc_store_cd...wxyz",
          webhookSecret: "another",
          connectedAt: now + 1,
          disconnectedAt: now + 2
        }
        yield* stores.save({ ...saved, accountId: other })
        expect(yield* stores.byId(store.id)).toEqual(store)
        yield* stores.save(saved)
        expect(yield* stores.byId(store.id)).toEqual(saved)
      })
    )

    it.effect("holds only a connected store", () =>
      Effect.gen(function* () {
        const stores = yield* ConnectedStores
        const { run } = yield* Transaction
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const [store, gone, erased] = times(3, () => draftStore(accountId))
        yield* Effect.forEach([store!, gone!, erased!], stores.insert)
        yield* stores.save({ ...gone!, disconnectedAt: now + 1 })
        yield* stores.startErasure(accountId, erased!.id, now + 1)
        const held = (id: string, account = accountId, at = store!.connectedAt) =>
          run(stores.hold(account, id, at))
        expect(yield* held(store!.id)).toBe(true)
        expect(yield* held(store!.id, other)).toBe(false)
        for (const id of [gone!.id, erased!.id, newId()]) expect(yield* held(id)).toBe(false)
        yield* stores.endErasure(accountId, erased!.id)
        expect(yield* held(erased!.id)).toBe(false)
        yield* stores.save({ ...erased!, connectedAt: now + 9 })
        expect(yield* held(erased!.id, accountId, erased!.connectedAt)).toBe(false)
        expect(yield* held(erased!.id, accountId, now + 9)).toBe(true)
      })
    )

    it.effect("does not connect a store while its data is erased", () =>
      Effect.gen(function* () {
        const stores = yield* ConnectedStores
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const store = draftStore(accountId)
        yield* stores.insert(store)
        yield* stores.startErasure(other, store.id, now + 5)
        expect(yield* stores.isErasing(accountId, store.id)).toBe(false)
        yield* stores.startErasure(accountId, store.id, now + 5)
        yield* stores.startErasure(accountId, store.id, now + 6)
        expect(yield* stores.isErasing(accountId, store.id)).toBe(true)
        expect(yield* stores.isErasing(other, store.id)).toBe(false)
        const disconnected = { ...store, disconnectedAt: now + 5 }
        expect(yield* stores.get(accountId, store.id)).toEqual(disconnected)
        const again = { ...store, name: "Again" }
        const conflict = yield* expectFailure(stores.save(again), "WriteConflict")
        expect(conflict.constraint).toBe("stores_erasing")
        expect(yield* stores.get(accountId, store.id)).toEqual(disconnected)
        yield* stores.save({ ...again, disconnectedAt: now + 7 })
        yield* stores.endErasure(other, store.id)
        yield* expectFailure(stores.save(again), "WriteConflict")
        yield* stores.endErasure(accountId, store.id)
        yield* stores.endErasure(accountId, store.id)
        yield* stores.save(again)
        expect(yield* stores.get(accountId, store.id)).toEqual(again)
      })
    )

    it.effect("lets either a connection or an erasure succeed, whichever is first", () =>
      Effect.gen(function* () {
        const stores = yield* ConnectedStores
        const accountId = yield* freshAccountId
        const made = times(10, () => draftStore(accountId, { disconnectedAt: now }))
        yield* Effect.forEach(made, stores.insert)
        yield* atOnce(
          made.flatMap((store) => [
            Effect.ignore(stores.save({ ...store, disconnectedAt: null })),
            stores.startErasure(accountId, store.id, now + 1)
          ])
        )
        for (const { id } of made) {
          expect((yield* stores.get(accountId, id))?.disconnectedAt).not.toBeNull()
          expect(yield* stores.isErasing(accountId, id)).toBe(true)
        }
      })
    )

    it.effect("accepts a platform and domain once in an account, also concurrently", () =>
      Effect.gen(function* () {
        const stores = yield* ConnectedStores
        const accountId = yield* freshAccountId
        const made = times(10, () => draftStore(accountId, { domain: "one.example" }))
        const exits = yield* atOnce(made.map((store) => stores.insert(store)))
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(1)
        const conflict = yield* expectFailure(
          stores.insert(draftStore(accountId, { domain: "one.example" })),
          "WriteConflict"
        )
        expect(conflict.constraint).toBe("stores_domain")
        yield* stores.insert(draftStore(accountId, { domain: "one.example", platform: "Shopify" }))
        yield* stores.insert(draftStore(yield* freshAccountId, { domain: "one.example" }))
        expect(yield* stores.count(accountId)).toBe(2)
      })
    )

    it.effect("lists the stores that pass each filter, also by name", () =>
      Effect.gen(function* () {
        const stores = yield* ConnectedStores
        const accountId = yield* freshAccountId
        const [tea, apples, bread] = [
          draftStore(accountId, { name: "Tea", connectedAt: now }),
          draftStore(accountId, { name: "apples", connectedAt: now + 1, disconnectedAt: now + 5 }),
          draftStore(accountId, { name: "Bread", connectedAt: now + 2 })
        ]
        for (const store of [tea, apples, bread]) yield* stores.insert(store)
        const names = Effect.fnUntraced(function* (filter: StoreFilter, by = "time", ascending = false) {
          const { items } = yield* stores.list(accountId, { ...firstPage, sort: { by, ascending } }, filter)
          return items.map(({ name }) => name)
        })
        expect(yield* names({})).toEqual(["Bread", "apples", "Tea"])
        expect(yield* names({}, "name", true)).toEqual(["apples", "Bread", "Tea"])
        expect(yield* names({ status: ["Connected"] }, "name")).toEqual(["Tea", "Bread"])
        expect(yield* names({ status: ["Disconnected"] })).toEqual(["apples"])
        expect(yield* names({ status: ["Connected", "Disconnected"], since: now + 1 })).toEqual([
          "Bread",
          "apples"
        ])
        expect(yield* names({ since: now, until: now + 2 })).toEqual(["apples", "Tea"])
        expect(yield* names({ storeId: [tea.id, bread.id], status: ["Connected"] })).toEqual(["Bread", "Tea"])
        expect(yield* names({ storeId: [newId()] })).toEqual([])
        const byName = { ...firstPage, pageSize: 1, sort: { by: "name", ascending: true } }
        const { next } = yield* stores.list(accountId, byName, {})
        const rest = yield* stores.list(accountId, { ...byName, pageSize: 5, after: next }, {})
        expect(rest.items.map(({ name }) => name)).toEqual(["Bread", "Tea"])
      })
    )

    listsNewestFirst(it, "stores", ConnectedStores, ({ insert, list }) => ({
      draft: (accountId, connectedAt) => draftStore(accountId, { connectedAt }),
      timeOf: (store) => store.connectedAt,
      insert,
      list
    }))
  })
}
