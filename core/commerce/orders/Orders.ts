/**
 * Orders of connected stores: read (public-api, Orders).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { OrderStore } from "../../ports/OrderStore.ts"
import { foldCase } from "../../shared/Validate.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { type Order, type OrderStatus, type OrderView, statusesOfView } from "../../model/Order.ts"

const dayMillis = 86_400_000

/** Which orders are asked for; null for any. */
export interface OrderQuery {
  readonly storeId: string | null
  /** A part of the number, email or customer name, in any case. */
  readonly search: string | null
  readonly status: OrderStatus | null
  readonly view: OrderView
  /** Placed within so many days of 24 hours before now. */
  readonly days: number | null
}

/** Reads orders. */
export class Orders extends Context.Service<
  Orders,
  {
    /** Orders of an account, newest first by when they were placed. */
    readonly list: (
      accountId: string,
      query: OrderQuery,
      page: PageRequest
    ) => Effect.Effect<Page<Order>, Unavailable>
  }
>()("svc/commerce/Orders") {
  static readonly layer = Layer.effect(
    Orders,
    Effect.map(OrderStore, (store) =>
      Orders.of({
        list: Effect.fn("Orders.list")(function* (accountId, { days, search, status, storeId, view }, page) {
          const now = yield* Clock.currentTimeMillis
          const filter = {
            storeId,
            statuses: statusesOfView[view].filter((one) => status === null || one === status),
            since: days === null ? null : now - days * dayMillis,
            search: search === null ? null : foldCase(search)
          }
          return yield* store.list(accountId, filter, page)
        })
      })
    )
  )
}

/** What a search looks in: number, email and customer name, each on a line of its own, as `foldCase` makes them. */
export const searchText = ({ customerName, email, number }: Order): string =>
  foldCase([number, email, customerName].map((part) => (part ?? "").replaceAll("\n", " ")).join("\n"))
