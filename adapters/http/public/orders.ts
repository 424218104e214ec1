/**
 * Handles the orders endpoint.
 *
 * @module
 */
import { Effect } from "effect"
import type { Order } from "../../../core/model/Order.ts"
import { Orders } from "../../../core/commerce/orders/Orders.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { PublicApi } from "../schema/PublicApi.ts"
import { dateTimeOrNull, decimal } from "../edge/Encode.ts"
import { ok } from "../edge/reply.ts"
import { paged } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"

/** An order, as the API returns it. */
export const encodeOrder = (order: Order) => ({
  id: order.id,
  storeId: order.storeId,
  number: order.number,
  status: order.status,
  currency: order.currency,
  total: decimal(order.total),
  email: order.email,
  customerName: order.customerName,
  placedAt: formatDateTime(order.placedAt),
  paidAt: dateTimeOrNull(order.paidAt),
  lineCount: order.lineCount
})

/** The orders routes. */
export const ordersRoutes = Effect.map(Orders, (orders) =>
  bind(PublicApi.groups.orders, {
    list: Effect.fnUntraced(function* ({ caller, page, query }) {
      return ok(paged(yield* orders.list(caller.accountId, query, page), encodeOrder))
    })
  })
)
