/**
 * Connected stores in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { Store } from "../../core/commerce/Store.ts"
import { ConnectedStores } from "../../core/ports/ConnectedStores.ts"
import { Database } from "./Database.ts"
import { byTime, OrderIndex } from "./OrderIndex.ts"
import { frozen, Table } from "./Table.ts"

const domainKey = (store: Pick<Store, "accountId" | "domain" | "platform">): string =>
  `${store.accountId} ${store.platform} ${store.domain}`

/** The port over a shared {@link Database}. */
export const layer = Layer.effect(
  ConnectedStores,
  Effect.gen(function* () {
    const database = yield* Database
    const order = new OrderIndex<Store>(
      (store) => store.accountId,
      byTime((store) => store.connectedAt)
    )
    const stores = new Table<Store, "stores_domain">(database, {
      key: (store) => store.id,
      unique: { stores_domain: domainKey },
      indexes: [order]
    })

    return ConnectedStores.of({
      insert: (store) => database.writeUnlessRefused(() => void stores.insert(frozen(store))),
      save: (store) =>
        database.write(() => {
          const before = stores.get(store.id)
          if (before?.accountId !== store.accountId) return
          const { accountId, domain, platform } = before
          stores.replace(frozen({ ...store, accountId, domain, platform }))
        }),
      get: (accountId, id) =>
        database.read(() => {
          const store = stores.get(id)
          return store?.accountId === accountId ? store : null
        }),
      ofDomain: (accountId, platform, domain) =>
        database.read(() => stores.by("stores_domain", domainKey({ accountId, platform, domain })) ?? null),
      byId: (id) => database.read(() => stores.get(id) ?? null),
      count: (accountId) => database.read(() => order.rows(accountId).length),
      list: (accountId, page) => database.read(() => order.page(accountId, page))
    })
  })
)
