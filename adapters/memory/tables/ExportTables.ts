/**
 * Holds tables that exports and others read in addition to their own store: the suppression list and the catalogue.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { type Item, maxRecommended } from "../../../core/model/Item.ts"
import type { Suppression } from "../../../core/model/Suppression.ts"
import { Database } from "../engine/Database.ts"
import { DistinctIndex } from "../engine/DistinctIndex.ts"
import { all, byField, compareText, SortedIndex } from "../engine/SortedIndex.ts"
import { pageOfAll, type PageRequest } from "../../../core/shared/Page.ts"
import { ChangeCount, perAccount, Table } from "../engine/Table.ts"

const storeKey = (storeId: string, externalId: string): string => `${storeId} ${externalId}`

const makeSuppressions = (database: Database["Service"]) => {
  const order = new SortedIndex<Suppression>(
    () => all,
    (a, b) => a.createdAt - b.createdAt || compareText(a.email, b.email)
  )
  const hashed = new DistinctIndex<Suppression>(
    (entry) => (entry.email.includes("@") ? null : "hashed"),
    (entry) => entry.email
  )
  const changes = new ChangeCount()
  const entries = new Table<Suppression>(database, {
    key: ({ email }) => email,
    indexes: [order, hashed, changes]
  })
  return {
    changes,
    entries,
    rows: () => order.rows(all),
    page: (request: PageRequest, passes: (entry: Suppression) => boolean) =>
      pageOfAll(order.rows(all).filter(passes), request, ({ createdAt, email }) => [createdAt, email]),
    holdsHashes: () => hashed.members("hashed").size > 0
  }
}

const makeCatalogue = (database: Database["Service"]) => {
  const order = byField("createdAt")
  const recommended = new SortedIndex<Item>(
    ({ active, inStock, stockQuantity }) =>
      active && inStock && (stockQuantity === null || stockQuantity > 0) ? all : null,
    order
  )
  const listed = new SortedIndex<Item>(() => all, order)
  const items = new Table<Item, "items_external_id" | "items_store_external_id">(database, {
    key: (item) => item.id,
    unique: {
      items_external_id: ({ externalId, storeId }) => (storeId === null ? externalId : null),
      items_store_external_id: ({ externalId, storeId }) =>
        storeId === null ? null : storeKey(storeId, externalId)
    },
    indexes: [recommended, listed]
  })
  return {
    items,
    rows: () => listed.rows(all),
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
        .rows(all)
        .filter((item) => category === null || item.categories.includes(category))
        .toReversed()
        .slice(0, maxRecommended)
  }
}

/** The suppression lists and catalogues, by account. */
export class ExportTables extends Context.Service<
  ExportTables,
  {
    readonly suppressionsOf: (accountId: string) => ReturnType<typeof makeSuppressions>
    readonly catalogueOf: (accountId: string) => ReturnType<typeof makeCatalogue>
  }
>()("svc/adapters/memory/ExportTables") {
  static readonly layer = Layer.effect(
    ExportTables,
    Effect.map(Database, (database) =>
      ExportTables.of({
        suppressionsOf: perAccount(() => makeSuppressions(database)),
        catalogueOf: perAccount(() => makeCatalogue(database))
      })
    )
  )
}
