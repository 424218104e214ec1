/**
 * Writes products of stores as items of the catalogue. Templates can use them, but the items routes do not return them.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { Items } from "../../catalog/Items.ts"
import { ItemStore } from "../../ports/ItemStore.ts"
import { type SyncedRecord, SyncStore } from "../../ports/SyncStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import type { StoreEvent } from "../platforms/EventData.ts"
import type { Store } from "../../model/Store.ts"
import type { StoreChange } from "../platforms/StoreChange.ts"
import { failedEvent } from "./FailedEvents.ts"
import { Stores } from "../stores/Stores.ts"

type ProductChange = Extract<StoreChange, { _tag: "Product" | "ProductRemoved" }>

const isProduct = (change: StoreChange): change is ProductChange =>
  change._tag === "Product" || change._tag === "ProductRemoved"

const idOf = (change: ProductChange): string =>
  change._tag === "Product" ? change.item.id : change.externalId

const itemOf = ({ item }: Extract<StoreChange, { _tag: "Product" }>) => Result.succeed(item)

/** The newest change of each product, unless the stored one is newer. */
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

/** Writes products of stores. */
export class ProductSync extends Context.Service<ProductSync>()("svc/commerce/ProductSync", {
  make: Effect.gen(function* () {
    const sync = yield* SyncStore
    const items = yield* Items
    const itemStore = yield* ItemStore
    const stores = yield* Stores
    const transaction = yield* Transaction

    return {
      /**
       * Writes the product changes among new events of a store. An event whose item the catalogue rejects has failed. Fails
       * with auth.unauthorized if the store was disconnected.
       */
      write: Effect.fn("ProductSync.write")(function* (store: Store, events: ReadonlyArray<StoreEvent>) {
        const { accountId, id: storeId, platform } = store
        const changes = events.map((event) => event.change).filter(isProduct)
        const now = yield* Clock.currentTimeMillis
        const known = yield* sync.find(accountId, storeId, "Product", [...new Set(changes.map(idOf))])
        const newest = newestProducts(known, changes)
        const eventOf = new Map(events.map((event) => [event.change, event]))
        const written = newest.filter((change) => change._tag === "Product")
        const removed = newest.flatMap((change) => (change._tag === "Product" ? [] : [change.externalId]))
        const owner = { storeId, source: platform }
        // The caller retries with new reads on a conflict.
        yield* transaction.run(
          Effect.gen(function* () {
            yield* stores.requireConnected(store)
            yield* sync.remember(accountId, storeId, events, now)
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
            const results =
              written.length === 0 ? [] : yield* items.writeMany(accountId, owner, written.map(itemOf))
            const failed = results.flatMap((result, index) => {
              const event = Result.isFailure(result) ? eventOf.get(written[index]!) : undefined
              return event === undefined || Result.isSuccess(result)
                ? []
                : [failedEvent(event, result.failure, now)]
            })
            yield* sync.fail(accountId, storeId, failed, "Any")
            if (removed.length > 0) yield* itemStore.remove(accountId, storeId, removed)
          })
        )
      })
    }
  })
}) {
  static readonly layer = Layer.effect(ProductSync, ProductSync.make)
}
