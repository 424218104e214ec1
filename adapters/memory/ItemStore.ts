/**
 * Stores items of the catalogue in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { maxItems } from "../../core/model/Item.ts"
import { ItemStore } from "../../core/ports/ItemStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { isAmong, isInRange, pageByText, pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { foldCase } from "../../core/shared/Validate.ts"
import { Database } from "./engine/Database.ts"
import { ExportTables } from "./tables/ExportTables.ts"
import { frozen } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { catalogueOf } = yield* ExportTables

  return ItemStore.of({
    find: (accountId, storeId, externalIds) =>
      database.read(() => catalogueOf(accountId).find(storeId, externalIds)),
    get: (accountId, id) => database.read(() => catalogueOf(accountId).items.get(id) ?? null),
    list: (accountId, { active, kind, q, storeId, ...range }, page) =>
      database.read(() => {
        const found = catalogueOf(accountId)
          .rows()
          .filter(
            (item) =>
              (storeId === null || (item.storeId !== null && storeId.includes(item.storeId))) &&
              isAmong(kind, item.kind) &&
              (active === null || item.active === active) &&
              isInRange(range, item.createdAt) &&
              (q === null || foldCase(item.name).startsWith(q) || foldCase(item.externalId).startsWith(q))
          )
        return page.sort?.by === "name"
          ? pageByText(found, page, ({ name }) => foldCase(name))
          : pageOfAll(found, page, placeBy("createdAt"))
      }),
    count: (accountId) => database.read(() => catalogueOf(accountId).rows().length),
    write: (accountId, { inserts, updates }) =>
      database.writeOrConflict(() => {
        const { items, rows } = catalogueOf(accountId)
        for (const item of updates) {
          const stored = items.get(item.id)
          if (stored?.version !== item.version - 1) {
            throw new WriteConflict({ constraint: "items_version" })
          }
          const { createdAt, externalId, source, storeId } = stored
          items.replace(frozen({ ...item, createdAt, externalId, source, storeId }))
        }
        for (const item of inserts) items.insert(frozen(item))
        if (inserts.length > 0 && rows().length > maxItems)
          throw new WriteConflict({ constraint: "items_limit" })
      }),
    remove: (accountId, storeId, externalIds) =>
      database.write(() => {
        const { find, items } = catalogueOf(accountId)
        const found = find(storeId, externalIds)
        items.removeMany(found.map(({ id }) => id))
        return found.length
      }),
    removeStore: (accountId, storeId, limit) =>
      database.write(() => {
        const { items, rows } = catalogueOf(accountId)
        const gone = rows()
          .filter((item) => item.storeId === storeId)
          .slice(0, limit)
        items.removeMany(gone.map(({ id }) => id))
        return gone.length
      }),
    recommend: (accountId, categories) =>
      database.read(() => categories.map(catalogueOf(accountId).recommend))
  })
}).pipe(Layer.effect(ItemStore))
