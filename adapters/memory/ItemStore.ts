/**
 * Items of the catalogue in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type Item, maxItems, maxRecommended } from "../../core/catalog/Item.ts"
import { ItemStore } from "../../core/ports/ItemStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { Database } from "./Database.ts"
import { byTime, OrderIndex } from "./OrderIndex.ts"
import { frozen, perAccount, Table } from "./Table.ts"

const storeKey = (storeId: string, externalId: string): string => `${storeId} ${externalId}`

const makeCatalogue = (database: Database["Service"]) => {
  const order = byTime<Item>((item) => item.createdAt)
  const recommended = new OrderIndex<Item>(
    ({ active, inStock, stockQuantity }) =>
      active && inStock && (stockQuantity === null || stockQuantity > 0) ? "recommended" : null,
    order
  )
  const all = new OrderIndex<Item>(() => "all", order)
  const items = new Table<Item, "items_external_id" | "items_store_external_id">(database, {
    key: (item) => item.id,
    unique: {
      items_external_id: ({ externalId, storeId }) => (storeId === null ? externalId : null),
      items_store_external_id: ({ externalId, storeId }) =>
        storeId === null ? null : storeKey(storeId, externalId)
    },
    indexes: [recommended, all]
  })
  return {
    items,
    count: () => all.rows("all").length,
    ofStore: (storeId: string): ReadonlyArray<Item> =>
      all.rows("all").filter((item) => item.storeId === storeId),
    find: (storeId: string | null, externalIds: ReadonlyArray<string>): ReadonlyArray<Item> =>
      [...new Set(externalIds)].flatMap((externalId) => {
        const item =
          storeId === null
            ? items.by("items_external_id", externalId)
            : items.by("items_store_external_id", storeKey(storeId, externalId))
        return item === undefined ? [] : [item]
      }),
    recommend: (category: string | null): ReadonlyArray<Item> =>
      recommended
        .rows("recommended")
        .filter((item) => category === null || item.categories.includes(category))
        .toReversed()
        .slice(0, maxRecommended)
  }
}

/** The port over a shared {@link Database}. */
export const layer = Layer.effect(
  ItemStore,
  Effect.gen(function* () {
    const database = yield* Database
    const catalogueOf = perAccount(() => makeCatalogue(database))

    return ItemStore.of({
      find: (accountId, storeId, externalIds) =>
        database.read(() => catalogueOf(accountId).find(storeId, externalIds)),
      count: (accountId) => database.read(() => catalogueOf(accountId).count()),
      write: (accountId, { inserts, updates }) =>
        database.writeUnlessRefused(() => {
          const { count, items } = catalogueOf(accountId)
          for (const item of updates) {
            const stored = items.get(item.id)
            if (stored?.version !== item.version - 1) {
              throw new WriteConflict({ constraint: "items_version" })
            }
            const { createdAt, externalId, source, storeId } = stored
            items.replace(frozen({ ...item, createdAt, externalId, source, storeId }))
          }
          for (const item of inserts) items.insert(frozen(item))
          if (inserts.length > 0 && count() > maxItems) throw new WriteConflict({ constraint: "items_limit" })
        }),
      remove: (accountId, storeId, externalIds) =>
        database.write(() => {
          const { find, items } = catalogueOf(accountId)
          const found = find(storeId, externalIds)
          for (const { id } of found) items.remove(id)
          return found.length
        }),
      removeStore: (accountId, storeId, limit) =>
        database.write(() => {
          const { items, ofStore } = catalogueOf(accountId)
          const gone = ofStore(storeId).slice(0, limit)
          for (const { id } of gone) items.remove(id)
          return gone.length
        }),
      recommend: (accountId, categories) =>
        database.read(() => categories.map(catalogueOf(accountId).recommend))
    })
  })
)
