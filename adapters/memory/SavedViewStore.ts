/**
 * Stores saved views in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { SavedView } from "../../core/model/SavedView.ts"
import { SavedViewStore } from "../../core/ports/SavedViewStore.ts"
import { pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, perAccount, Table } from "./engine/Table.ts"

const makeViews = (database: Database["Service"]) => {
  const order = new SortedIndex<SavedView>(() => all, byField("createdAt"))
  return { order, views: new Table<SavedView>(database, { key: ({ id }) => id, indexes: [order] }) }
}

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const viewsOf = perAccount(() => makeViews(database))

  return SavedViewStore.of({
    insert: (added) =>
      Effect.asVoid(database.write(() => viewsOf(added.accountId).views.insert(frozen(added)))),
    get: (accountId, id) => database.read(() => viewsOf(accountId).views.get(id) ?? null),
    save: ({ accountId, columns, id, name, query, shared }) =>
      database.write(() => {
        const { views } = viewsOf(accountId)
        const before = views.get(id)
        if (before !== undefined) views.replace(frozen({ ...before, columns, name, query, shared }))
      }),
    remove: (accountId, id) => database.write(() => void viewsOf(accountId).views.remove(id)),
    count: (accountId, owner, list) =>
      database.read(
        () =>
          viewsOf(accountId)
            .order.rows(all)
            .filter((view) => view.owner === owner && view.list === list).length
      ),
    list: (accountId, owner, lists, page) =>
      database.read(() =>
        pageOfAll(
          viewsOf(accountId)
            .order.rows(all)
            .filter(
              (view) => (view.owner === owner || view.shared) && (lists === null || lists.includes(view.list))
            ),
          page,
          placeBy("createdAt")
        )
      )
  })
}).pipe(Layer.effect(SavedViewStore))
