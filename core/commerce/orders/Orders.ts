/**
 * Reads the orders of connected stores (docs/contributing/public-api.md "Orders").
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { warn, type Warning } from "../../kernel/Warnings.ts"
import { maxSearchTotal, type OrderFilter, OrderStore } from "../../ports/OrderStore.ts"
import { searchedText } from "../../shared/EmailAddress.ts"
import { foldCase } from "../../shared/Validate.ts"
import { type Among, isAmong, type Page, type PageRequest } from "../../shared/Page.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import {
  type Order,
  orderStatuses,
  type OrderStatus,
  type OrderView,
  statusesOfView
} from "../../model/Order.ts"

const dayMillis = 86_400_000

const isLowerBound: Warning = { code: "total_is_lower_bound" }

/** A filter of orders; null matches all. */
export interface OrderQuery {
  readonly storeId: string | null
  /** A part of the number, email or customer name, ignoring case. */
  readonly search: string | null
  readonly status: OrderStatus | null
  readonly view: OrderView
  /** Placed within this number of 24-hour days before now. */
  readonly days: number | null
}

/** A filter of orders for browsing; null matches all. An order must match every filter. */
export interface OrderBrowse extends Pick<OrderFilter, "since" | "storeId" | "until"> {
  readonly status: Among<OrderStatus>
  readonly view: Among<OrderView>
  /** As `OrderQuery.days`. */
  readonly days: number | null
  /** As `OrderQuery.search`. */
  readonly q: string | null
}

/** Reads orders. */
export class Orders extends Context.Service<
  Orders,
  {
    /**
     * Lists orders of an account, most recently placed first. The total of a search is exact up to `exactSearchTotal`; beyond
     * that it is a lower bound, and the caller is warned.
     */
    readonly list: (
      accountId: string,
      query: OrderQuery,
      page: PageRequest
    ) => Effect.Effect<Page<Order>, Unavailable>
    /** As `list`, for the management API: from any position and, without a search, also oldest first and by name. */
    readonly browse: (
      accountId: string,
      filter: OrderBrowse,
      page: PageRequest
    ) => Effect.Effect<Page<Order>, Unavailable>
    /** Returns an order by its id. Fails with common.not_found. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Order, Problem | Unavailable>
  }
>()("svc/commerce/Orders") {
  static readonly layer = Layer.effect(
    Orders,
    Effect.map(OrderStore, (store) => {
      const browse: Orders["Service"]["browse"] = Effect.fn("Orders.browse")(function* (
        accountId,
        { days, q, since = null, status, view, ...filter },
        page
      ) {
        const from = days === null ? null : (yield* Clock.currentTimeMillis) - days * dayMillis
        return yield* store.list(
          accountId,
          {
            ...filter,
            statuses: orderStatuses.filter(
              (one) =>
                isAmong(status, one) &&
                (view === null || view.some((each) => statusesOfView[each].includes(one)))
            ),
            since: from === null ? since : Math.max(from, since ?? from),
            search: q === null ? null : searchedText(q)
          },
          page
        )
      })
      return Orders.of({
        list: Effect.fn("Orders.list")(function* (accountId, { search, status, storeId, ...query }, page) {
          const found = yield* browse(
            accountId,
            {
              ...query,
              view: [query.view],
              q: search,
              status: status === null ? null : [status],
              storeId: storeId === null ? null : [storeId]
            },
            page
          )
          if (search !== null && found.totalCount >= maxSearchTotal(page)) yield* warn(isLowerBound)
          return found
        }),
        browse,
        get: Effect.fn("Orders.get")(function* (accountId, id) {
          return (yield* store.get(accountId, id)) ?? (yield* Problem.of("common.not_found"))
        })
      })
    })
  )
}

/** The searchable text of an order: number, email and customer name, each on its own line, in the form of `foldCase`. */
export const searchText = ({ customerName, email, number }: Order): string =>
  foldCase([number, email, customerName].map((part) => (part ?? "").replaceAll("\n", " ")).join("\n"))
