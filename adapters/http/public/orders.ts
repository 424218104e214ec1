/**
 * Handlers of the orders routes.
 *
 * @module
 */
import { Effect } from "effect"
import {
  type Order,
  type OrderStatus,
  orderStatuses,
  type OrderView,
  orderViews
} from "../../../core/model/Order.ts"
import { type OrderQuery, Orders } from "../../../core/commerce/orders/Orders.ts"
import { isUuid } from "../../../core/shared/Uuid.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { type Issue, issue, Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime, isStorable } from "../../../core/shared/Validate.ts"
import { maxDays, maxSearch } from "../schema/public/Orders.ts"
import { PublicApi } from "../schema/PublicApi.ts"
import { dateTimeOrNull, decimal } from "../edge/Encode.ts"
import { asEffect } from "../management/requireAccount.ts"
import { intOf, pageOfQuery, type Query, textOf } from "../edge/Query.ts"
import { bind, ok } from "../edge/Route.ts"

const encodeOrder = (order: Order) => ({
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

/** validation.required, validation.format, validation.max_length, validation.type, validation.range. */
const queryOf = (query: Query): OrderQuery | Problem => {
  const issues: Array<Issue> = []
  const storeId = textOf(query, "storeId")
  if (storeId !== null && !isUuid(storeId)) issues.push(issue("validation.format", "storeId"))
  const search = textOf(query, "search")?.trim() || null
  if (search !== null && search.length > maxSearch) {
    issues.push(issue("validation.max_length", "search", { max: maxSearch }))
  } else if (search !== null && !isStorable(search)) issues.push(issue("validation.format", "search"))
  const status = textOf(query, "status")
  if (status !== null && !isOneOf(orderStatuses, status)) issues.push(issue("validation.format", "status"))
  const view = textOf(query, "view")
  if (view === null) issues.push(issue("validation.required", "view"))
  else if (!isOneOf(orderViews, view)) issues.push(issue("validation.format", "view"))
  const days = textOf(query, "days") === null ? null : intOf(query, "days", 1, maxDays, 1, issues)
  return (
    Problem.from(issues) ?? {
      storeId: storeId?.toLowerCase() ?? null,
      search,
      status: status as OrderStatus | null,
      view: view as OrderView,
      days
    }
  )
}

const isOneOf = (all: ReadonlyArray<string>, text: string): boolean => all.includes(text)

/** The orders routes. */
export const ordersRoutes = Effect.map(Orders, (orders) =>
  bind(PublicApi.groups.orders, {
    list: Effect.fnUntraced(function* ({ caller, query }) {
      const asked = yield* asEffect(queryOf(query))
      const page = yield* asEffect(pageOfQuery(query))
      return ok(mapPage(yield* orders.list(caller.accountId, asked, page), encodeOrder))
    })
  })
)
