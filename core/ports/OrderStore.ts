/**
 * Stores the orders of connected stores, unique by external id in a store.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { ContactTotals, Order, OrderStatus } from "../model/Order.ts"
import type { Among, Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** A change of an order: new (`before` null), changed, or deleted (`after` null). */
export interface OrderChange {
  /** The order as it was read. */
  readonly before: Order | null
  /** At version 1, or at that of `before` plus one. Id, store and external id do not change. */
  readonly after: Order | null
}

/** Which orders a list shows; all given conditions must be met. */
export interface OrderFilter extends TimeRange {
  /** The stores to which the order may belong; null for any. */
  readonly storeId: Among<string>
  readonly statuses: ReadonlyArray<OrderStatus>
  /** A string contained in the number, email or customer name, in the form of `foldCase`; null for any. */
  readonly search: string | null
}

/** The total of a search is exact up to this many orders. */
export const exactSearchTotal = 10_000

/**
 * The highest total that a page of a search returns. The total is exact up to `exactSearchTotal` and a lower bound above it. If
 * there are more pages, it always exceeds the number of orders up to and including this page.
 */
export const maxSearchTotal = ({ page, pageSize }: PageRequest): number =>
  Math.max(exactSearchTotal, page * pageSize) + 1

/** The port of orders. */
export class OrderStore extends Context.Service<
  OrderStore,
  {
    /** The orders of a store that have those external ids, in no order. One read. */
    readonly find: (
      accountId: string,
      storeId: string,
      externalIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Order>, Unavailable>
    /** An order by its id; null if the account has none with it. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Order | null, Unavailable>
    /** Orders of a store, at most `limit`, in no order. */
    readonly ofStore: (
      accountId: string,
      storeId: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Order>, Unavailable>
    /**
     * Writes all changes or none, in a fixed number of statements, in the caller's transaction, if any.
     * `WriteConflict("orders_external_id")` if an external id is taken, `WriteConflict("orders_version")` if an order was changed
     * since it was read.
     */
    readonly write: (
      accountId: string,
      changes: ReadonlyArray<OrderChange>
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * The count, sum and latest time of the Paid and Completed orders of each contact. A contact without any is left out. One
     * read.
     */
    readonly totals: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<ContactTotals>, Unavailable>
    /** The orders of contacts, except drafts, placed at `since` (epoch milliseconds) or later, in no order. */
    readonly placedBy: (
      accountId: string,
      contactIds: ReadonlyArray<string>,
      since: number
    ) => Effect.Effect<ReadonlyArray<Order>, Unavailable>
    /**
     * An account's orders by `placedAt`, then by id, newest first. Without a search, they can also be sorted oldest first or by
     * name (`nameOfOrder`). The total is exact without a search; with one it is at most `maxSearchTotal`.
     */
    readonly list: (
      accountId: string,
      filter: OrderFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Order>, Unavailable>
    /** Deletes all orders of contacts, as part of erasing them. One statement. */
    readonly erase: (accountId: string, contactIds: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/OrderStore") {}
