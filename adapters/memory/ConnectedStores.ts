/**
 * Stores connected stores in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { statusOfStore, type Store } from "../../core/model/Store.ts"
import { ConnectedStores } from "../../core/ports/ConnectedStores.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { isAmong, isInRange, pageByText, pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { foldCase } from "../../core/shared/Validate.ts"
import { Database } from "./engine/Database.ts"
import { byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

const domainKey = (store: Pick<Store, "accountId" | "domain" | "platform">): string =>
  `${store.accountId} ${store.platform} ${store.domain}`

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const order = new SortedIndex<Store>((store) => store.accountId, byField("connectedAt"))
  const stores = new Table<Store, "stores_domain">(database, {
    key: (store) => store.id,
    unique: { stores_domain: domainKey },
    indexes: [order]
  })

  const erasing = new Table<Pick<Store, "id">>(database, { key: (store) => store.id })
  const ownOf = (accountId: string, id: string): Store | null => {
    const store = stores.get(id)
    return store?.accountId === accountId ? store : null
  }

  return ConnectedStores.of({
    insert: (store) => database.writeOrConflict(() => void stores.insert(frozen(store))),
    save: (store) =>
      database.writeOrConflict(() => {
        const before = ownOf(store.accountId, store.id)
        if (before === null) return
        if (store.disconnectedAt === null && erasing.get(store.id) !== undefined) {
          throw new WriteConflict({ constraint: "stores_erasing" })
        }
        const { accountId, domain, platform } = before
        stores.replace(frozen({ ...store, accountId, domain, platform }))
      }),
    startErasure: (accountId, id, at) =>
      database.write(() => {
        const store = ownOf(accountId, id)
        if (store === null) return
        stores.replace(frozen({ ...store, disconnectedAt: store.disconnectedAt ?? at }))
        if (erasing.get(id) === undefined) erasing.insert(frozen({ id }))
      }),
    isErasing: (accountId, id) =>
      database.read(() => ownOf(accountId, id) !== null && erasing.get(id) !== undefined),
    endErasure: (accountId, id) =>
      database.write(() => {
        if (ownOf(accountId, id) !== null && erasing.get(id) !== undefined) erasing.remove(id)
      }),
    hold: (accountId, id, connectedAt) =>
      database.read(() => {
        const store = ownOf(accountId, id)
        return store?.disconnectedAt === null && store.connectedAt === connectedAt
      }),
    get: (accountId, id) => database.read(() => ownOf(accountId, id)),
    ofDomain: (accountId, platform, domain) =>
      database.read(() => stores.by("stores_domain", domainKey({ accountId, platform, domain })) ?? null),
    byId: (id) => database.read(() => stores.get(id) ?? null),
    count: (accountId) => database.read(() => order.rows(accountId).length),
    list: (accountId, page, { status, storeId, ...range } = {}) =>
      database.read(() => {
        const found = order
          .rows(accountId)
          .filter(
            (store) =>
              isAmong(storeId, store.id) &&
              isAmong(status, statusOfStore(store)) &&
              isInRange(range, store.connectedAt)
          )
        return page.sort?.by === "name"
          ? pageByText(found, page, ({ name }) => foldCase(name))
          : pageOfAll(found, page, placeBy("connectedAt"))
      })
  })
}).pipe(Layer.effect(ConnectedStores))
