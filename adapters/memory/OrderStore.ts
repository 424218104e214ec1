/**
 * Stores orders of connected stores in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { sumAmounts } from "../../core/commerce/platforms/Money.ts"
import { isBought, isPlaced, nameOfOrder, type Order } from "../../core/model/Order.ts"
import { searchText } from "../../core/commerce/orders/Orders.ts"
import { maxSearchTotal, type OrderFilter, OrderStore } from "../../core/ports/OrderStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { pageByText, pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all } from "./engine/SortedIndex.ts"
import { frozen } from "./engine/Table.ts"
import { CommerceTables, externalKey } from "./tables/CommerceTables.ts"

const fits =
  ({ search, since = null, statuses, storeId, until = null }: OrderFilter) =>
  (order: Order): boolean =>
    statuses.includes(order.status) &&
    (storeId === null || storeId.includes(order.storeId)) &&
    (since === null || order.placedAt >= since) &&
    (until === null || order.placedAt < until) &&
    (search === null || searchText(order).includes(search))

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of } = yield* CommerceTables

  return OrderStore.of({
    find: (accountId, storeId, externalIds) =>
      database.read(() => {
        const { orders } = of(accountId)
        return [...new Set(externalIds)].flatMap(
          (externalId) => orders.by("orders_external_id", externalKey(storeId, externalId)) ?? []
        )
      }),
    get: (accountId, id) => database.read(() => of(accountId).orders.get(id) ?? null),
    ofStore: (accountId, storeId, limit) =>
      database.read(() =>
        of(accountId)
          .newest.rows(all)
          .filter((order) => order.storeId === storeId)
          .slice(0, limit)
      ),
    write: (accountId, changes) =>
      database.writeOrConflict(() => {
        const { orders } = of(accountId)
        for (const { after, before } of changes) {
          if (before !== null && orders.get(before.id)?.version !== before.version) {
            throw new WriteConflict({ constraint: "orders_version" })
          }
          if (after === null) orders.remove(before!.id)
          else if (before === null) orders.insert(frozen(after))
          else orders.replace(frozen(after))
        }
      }),
    totals: (accountId, contactIds) =>
      database.read(() => {
        const { ofContact } = of(accountId)
        return [...new Set(contactIds)].flatMap((contactId) => {
          const bought = ofContact.rows(contactId).filter((order) => isBought(order.status))
          const last = bought.at(-1)
          if (last === undefined) return []
          const totalSpent = sumAmounts(bought.map((order) => order.total))
          return [{ contactId, orderCount: bought.length, totalSpent, lastOrderAt: last.placedAt }]
        })
      }),
    placedBy: (accountId, contactIds, since) =>
      database.read(() =>
        [...new Set(contactIds)].flatMap((contactId) =>
          of(accountId)
            .ofContact.rows(contactId)
            .filter((order) => isPlaced(order.status) && order.placedAt >= since)
        )
      ),
    list: (accountId, filter, page) =>
      database.read(() => {
        const found = of(accountId).newest.rows(all).filter(fits(filter))
        const most = filter.search === null ? Infinity : maxSearchTotal(page)
        return {
          ...(page.sort?.by === "name"
            ? pageByText(found, page, nameOfOrder)
            : pageOfAll(found, page, placeBy("placedAt"))),
          totalCount: Math.min(found.length, most),
          totalIsExact: found.length < most
        }
      }),
    erase: (accountId, contactIds) =>
      database.write(() => {
        const { ofContact, orders } = of(accountId)
        orders.removeMany(contactIds.flatMap((contactId) => ofContact.rows(contactId)).map(({ id }) => id))
      })
  })
}).pipe(Layer.effect(OrderStore))
