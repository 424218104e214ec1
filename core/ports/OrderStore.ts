/**
 * Orders of connected stores, unique by external id in a store.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { ContactTotals, Order, OrderStatus } from "../model/Order.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** An order that is new (`before` null), changed, or goes (`after` null). */
export interface OrderChange {
  /** As it was read. */
  readonly before: Order | null
  /** At version 1, or at that of `before` plus one; id, store and external id stay. */
  readonly after: Order | null
}

/** Which orders a list shows; all that is given has to hold. */
export interface OrderFilter {
  readonly storeId: string | null
  readonly statuses: ReadonlyArray<OrderStatus>
  /** Placed at this time or later, epoch milliseconds; null for whenever. */
  readonly since: number | null
  /** A text that the number, email or customer name has somewhere, as `foldCase` makes it; null for any. */
  readonly search: string | null
}

/** Up to how many orders the total of a search is exact. */
export const exactSearchTotal = 1000

/**
 * The highest total that a page of a search tells: the total is that of all orders found, or this, whichever is less. So
 * it is exact up to `exactSearchTotal`, above it a lower bound, and always more than the page and those before it hold
 * when there are more.
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
    /** Orders of a store, at most so many, in no order. */
    readonly ofStore: (
      accountId: string,
      storeId: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Order>, Unavailable>
    /**
     * Writes all changes or none, in a fixed number of statements, in the caller's transaction when there is one.
     * `WriteConflict("orders_external_id")` when an external id is taken, `WriteConflict("orders_version")` when an order
     * is no longer as it was read.
     */
    readonly write: (
      accountId: string,
      changes: ReadonlyArray<OrderChange>
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * What those contacts bought by their orders now: count, sum and latest of those Paid or Completed. A contact with
     * none is left out. One read.
     */
    readonly totals: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<ContactTotals>, Unavailable>
    /**
     * Orders of an account, newest first by `placedAt`, then by id. The total is exact without a search; with one it is
     * told up to `maxSearchTotal`.
     */
    readonly list: (
      accountId: string,
      filter: OrderFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Order>, Unavailable>
    /** Removes all orders of contacts: part of erasing them. One statement. */
    readonly erase: (accountId: string, contactIds: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/OrderStore") {}
