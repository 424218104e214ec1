/**
 * Holds the orders of connected stores, which several storage ports use.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { Order } from "../../../core/model/Order.ts"
import { Database } from "../engine/Database.ts"
import { all, byField, SortedIndex } from "../engine/SortedIndex.ts"
import { perAccount, Table } from "../engine/Table.ts"

/** The key of an order by its external id in a store. */
export const externalKey = (storeId: string, externalId: string): string => `${storeId} ${externalId}`

const makeOrders = (database: Database["Service"]) => {
  const newest = new SortedIndex<Order>(() => all, byField("placedAt"))
  const ofContact = new SortedIndex<Order>((order) => order.contactId, byField("placedAt"))
  const orders = new Table<Order, "orders_external_id">(database, {
    key: (order) => order.id,
    unique: { orders_external_id: (order) => externalKey(order.storeId, order.externalId) },
    indexes: [newest, ofContact]
  })
  return { newest, ofContact, orders }
}

/** The orders of each account. */
export class CommerceTables extends Context.Service<
  CommerceTables,
  { readonly of: (accountId: string) => ReturnType<typeof makeOrders> }
>()("svc/memory/CommerceTables") {
  static readonly layer = Layer.effect(
    CommerceTables,
    Effect.map(Database, (database) => CommerceTables.of({ of: perAccount(() => makeOrders(database)) }))
  )
}
