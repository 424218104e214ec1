/**
 * The routes of orders (public-api, Orders), of connected stores (management-api), and the routes stores call.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { orderStatuses, orderViews } from "../../../core/model/Order.ts"
import { storeEventNames } from "../../../core/commerce/platforms/EventData.ts"
import { consentModes, platforms } from "../../../core/model/Store.ts"
import { exactSearchTotal } from "../../../core/ports/OrderStore.ts"
import { maxBatchBody } from "./BatchAnswer.ts"
import {
  CheckedShape,
  EndpointGuard,
  envelope,
  keyWith,
  managementOnly,
  MaxBody,
  maybe,
  pageOf,
  paging
} from "./Envelope.ts"
import { id, moment, textUpTo } from "./Fields.ts"
import { Notes } from "./Notes.ts"
import { listOrders } from "./notes/orders.ts"

const nullableText = Schema.NullOr(Schema.String)

/** The most characters that orders are searched for. */
export const maxSearch = 100

/** The most days that orders are looked back. */
export const maxDays = 3660

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
  placedAt: moment,
  paidAt: Schema.NullOr(moment),
  lineCount: Schema.Int
}).annotate({ identifier: "Order" })

/** The routes of orders. */
export class OrdersGroup extends HttpApiGroup.make("orders")
  .add(
    HttpApiEndpoint.get("list", "/commerce/orders", {
      query: {
        view: Schema.Literals(orderViews).annotate({ description: "Which orders, by what became of them" }),
        ...paging,
        storeId: Schema.optionalKey(id.annotate({ description: "Orders of this store only" })),
        search: Schema.optionalKey(textUpTo(maxSearch, "Found in order number, email or name")),
        status: Schema.optionalKey(
          Schema.Literals(orderStatuses).annotate({ description: "Orders of this status only" })
        ),
        days: Schema.optionalKey(
          Schema.Int.annotate({
            minimum: 1,
            maximum: maxDays,
            description: "Placed in the last so many days"
          })
        )
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

const account = { accountId: Schema.String }

const storeFacts = {
  id: Schema.String,
  platform: Schema.Literals(platforms),
  name: Schema.String,
  domain: Schema.String,
  consentMode: Schema.Literals(consentModes),
  currency: nullableText,
  display: Schema.String,
  status: Schema.Literals(["Connected", "Disconnected"]),
  connectedAt: Schema.String,
  disconnectedAt: nullableText
}

/** A connected store. */
export const StoreShape = Schema.Struct(storeFacts).annotate({ identifier: "Store" })

const IssuedStoreShape = Schema.Struct({
  ...storeFacts,
  token: Schema.String,
  webhookSecret: Schema.String
}).annotate({ identifier: "IssuedStore" })

/** The operator's routes of stores. */
export class ManagedStoresGroup extends HttpApiGroup.make("managedStores")
  .add(
    HttpApiEndpoint.post("connect", "/accounts/:accountId/stores", {
      params: account,
      payload: Schema.Struct({
        platform: Schema.String,
        name: Schema.String,
        domain: Schema.String,
        consentMode: Schema.String,
        currency: maybe(Schema.String),
        webhookSecret: maybe(Schema.String)
      }),
      success: envelope(IssuedStoreShape)
    }),
    HttpApiEndpoint.get("list", "/accounts/:accountId/stores", {
      params: account,
      query: paging,
      success: envelope(pageOf(StoreShape))
    }),
    HttpApiEndpoint.delete("disconnect", "/accounts/:accountId/stores/:id", {
      params: { ...account, id: Schema.String },
      success: envelope(Schema.Null)
    })
  )
  .annotateEndpoints(EndpointGuard, managementOnly)
  .annotate(OpenApi.Title, "Stores") {}

const StoreEventShape = Schema.Struct({
  id: Schema.String,
  name: Schema.Literals(storeEventNames),
  occurredAt: Schema.optionalKey(Schema.String),
  data: Schema.Record(Schema.String, Schema.Unknown)
}).annotate({ identifier: "StoreEvent" })

const TakenShape = Schema.Struct({
  accepted: Schema.Int,
  duplicates: Schema.Int,
  rejected: Schema.Array(
    Schema.Struct({
      index: Schema.Int,
      reasons: Schema.Array(Schema.Struct({ code: Schema.String, field: nullableText }))
    })
  )
}).annotate({ identifier: "StoreEventsTaken" })

const store = { storeId: Schema.String }
const raw = Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/json" }))

/** The routes stores call. Webhooks are read as they came, since their signature is over the very bytes. */
export class IngestGroup extends HttpApiGroup.make("ingest")
  .add(
    HttpApiEndpoint.post("events", "/stores/:storeId/events", {
      params: store,
      payload: Schema.Struct({ events: Schema.Array(StoreEventShape) }),
      success: envelope(TakenShape)
    })
      .annotate(EndpointGuard, { _tag: "Store" })
      .annotate(CheckedShape, Schema.Struct({ events: Schema.Array(Schema.Unknown) }))
      .annotate(MaxBody, maxBatchBody),
    HttpApiEndpoint.post("shopify", "/stores/:storeId/shopify", {
      params: store,
      payload: raw,
      success: envelope(Schema.Null)
    }).annotate(EndpointGuard, { _tag: "Open" }),
    HttpApiEndpoint.post("wooCommerce", "/stores/:storeId/woocommerce", {
      params: store,
      payload: raw,
      success: envelope(Schema.Null)
    }).annotate(EndpointGuard, { _tag: "Open" })
  )
  .prefix("/ingest/v1") {}

/** The API of stores. */
export class IngestApi extends HttpApi.make("ingest").add(IngestGroup) {}
