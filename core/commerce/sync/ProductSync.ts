/**
 * Products of stores as items of the catalogue: shown to templates, and to no caller of the items routes.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { Items } from "../../catalog/Items.ts"
import { ItemStore } from "../../ports/ItemStore.ts"
import { type SyncedRecord, SyncStore } from "../../ports/SyncStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import type { StoreEvent } from "../platforms/EventData.ts"
import type { Store } from "../../model/Store.ts"
import type { StoreChange } from "../platforms/StoreChange.ts"
import { makeStoreHold } from "./StoreHold.ts"

type ProductChange = Extract<StoreChange, { _tag: "Product" | "ProductRemoved" }>

const isProduct = (change: StoreChange): change is ProductChange =>
  change._tag === "Product" || change._tag === "ProductRemoved"

const idOf = (change: ProductChange): string =>
  change._tag === "Product" ? change.item.id : change.externalId

/** Of each product the newest change, where it is not older than what is known. */
export const newestProducts = (
  known: ReadonlyArray<SyncedRecord>,
  changes: ReadonlyArray<ProductChange>
): ReadonlyArray<ProductChange> => {
  const times = new Map(known.map((record) => [record.externalId, record.sourceUpdatedAt]))
  const newest = new Map<string, ProductChange>()
  for (const change of changes) {
    const id = idOf(change)
    if (change.at < (times.get(id) ?? 0)) continue
    times.set(id, change.at)
    newest.set(id, change)
  }
  return [...newest.values()]
}

/**
 * A function that takes in products of a store. An item the catalogue refuses is left out. auth.unauthorized once the
 * store is disconnected.
 */
export const makeProductSync = Effect.gen(function* () {
  const sync = yield* SyncStore
  const items = yield* Items
  const store = yield* ItemStore
  const transaction = yield* Transaction
  const hold = yield* makeStoreHold

  return Effect.fnUntraced(function* (from: Store, events: ReadonlyArray<StoreEvent>) {
    const { accountId, id: storeId, platform } = from
    const changes = events.map((event) => event.change).filter(isProduct)
    const now = yield* Clock.currentTimeMillis
    const known = yield* sync.find(accountId, storeId, "Product", [...new Set(changes.map(idOf))])
    const newest = newestProducts(known, changes)
    const written = newest.flatMap((change) => (change._tag === "Product" ? [change.item] : []))
    const removed = newest.flatMap((change) => (change._tag === "Product" ? [] : [change.externalId]))
    yield* transaction.run(
      Effect.gen(function* () {
        yield* hold(from)
        yield* sync.remember(
          accountId,
          storeId,
          events.map((event) => event.id),
          now
        )
        yield* sync.put(
          accountId,
          storeId,
          newest.map((change) => ({
            kind: "Product",
            externalId: idOf(change),
            contactId: null,
            sourceUpdatedAt: change.at
          }))
        )
        if (written.length > 0) yield* items.writeMany(accountId, { storeId, source: platform }, written)
        if (removed.length > 0) yield* store.remove(accountId, storeId, removed)
      })
    )
  })
})
