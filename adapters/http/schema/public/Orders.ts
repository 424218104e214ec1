/**
 * Defines the orders endpoint of the public API (docs/contributing/public-api.md "Orders").
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { orderStatuses, orderViews } from "../../../../core/model/Order.ts"
import { exactSearchTotal } from "../../../../core/ports/OrderStore.ts"
import { EndpointGuard, envelope, keyWith, pageOf, paging } from "../Envelope.ts"
import { id, timestamp, textUpTo } from "../Fields.ts"
import { Notes } from "../Notes.ts"
import { listOrders } from "../notes/orders.ts"

const nullableText = Schema.NullOr(Schema.String)

/** The maximum length of a search. */
export const maxSearch = 100

/** The maximum number of days to look back. */
export const maxDays = 3660

/** How many days to look back. */
export const lookBack = Schema.optionalKey(
  Schema.Int.annotate({
    minimum: 1,
    maximum: maxDays,
    description: "Placed in this number of days before now"
  })
)

/** An order of a list. */
export const OrderShape = Schema.Struct({
  id,
  storeId: id,
  number: nullableText,
  status: Schema.Literals(orderStatuses),
  currency: Schema.String,
  total: Schema.Number,
  email: nullableText,
  customerName: nullableText,
  placedAt: timestamp,
  paidAt: Schema.NullOr(timestamp),
  lineCount: Schema.Int
}).annotate({ identifier: "Order" })

/** The routes of orders. */
export class OrdersGroup extends HttpApiGroup.make("orders")
  .add(
    HttpApiEndpoint.get("list", "/commerce/orders", {
      query: {
        view: Schema.Literals(orderViews).annotate({ description: "Which orders, by their state" }),
        ...paging,
        storeId: Schema.optionalKey(id.annotate({ description: "Orders of this store only" })),
        search: Schema.optionalKey(textUpTo(maxSearch, "Found in order number, email or name")),
        status: Schema.optionalKey(
          Schema.Literals(orderStatuses).annotate({ description: "Orders of this status only" })
        ),
        days: lookBack
      },
      success: envelope(
        pageOf(
          OrderShape,
          `How many orders there are. Of a search it is exact up to ${exactSearchTotal}; above, it is a lower bound, and more ` +
            "than this page and those before it hold while there are more"
        )
      )
    })
      .annotate(EndpointGuard, keyWith("orders:read"))
      .annotate(OpenApi.Summary, "List the orders of connected stores")
      .annotate(Notes, listOrders)
  )
  .annotate(OpenApi.Title, "Orders")
  .annotate(OpenApi.Description, "What was bought in connected stores.") {}
