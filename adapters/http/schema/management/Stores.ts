/**
 * Defines the management endpoints of connected stores.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { consentModes, platforms } from "../../../../core/model/Store.ts"
import { envelope, maybe } from "../Envelope.ts"
import { byTime, listing, listOf } from "../Lists.ts"
import { confirmed, requiring, unconfirmed } from "../Requirements.ts"
import { OrderShape } from "../public/Orders.ts"
import { accountPath, resourcePath } from "./Path.ts"

const nullableText = Schema.NullOr(Schema.String)

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

const StoredOrderShape = Schema.Struct({
  ...OrderShape.fields,
  externalId: Schema.String.annotateKey({ description: "The platform's id of the order" }),
  contactId: nullableText,
  reached: Schema.Array(Schema.String).annotateKey({ description: "What is on the timeline of its contact" })
}).annotate({ identifier: "StoredOrder" })

/** The operator's routes of stores. */
export class ManagedStoresGroup extends HttpApiGroup.make("managedStores")
  .add(
    HttpApiEndpoint.post("connect", "/accounts/:accountId/stores", {
      params: accountPath,
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
      params: accountPath,
      query: listing(byTime),
      success: envelope(listOf(StoreShape))
    }),
    HttpApiEndpoint.delete("disconnect", "/accounts/:accountId/stores/:id", {
      params: resourcePath,
      success: envelope(Schema.Null)
    }),
    HttpApiEndpoint.get("order", "/accounts/:accountId/orders/:id", {
      params: resourcePath,
      success: envelope(StoredOrderShape)
    }).annotate(OpenApi.Summary, "Get an order of a connected store")
  )
  .annotate(OpenApi.Title, "Stores")
  .pipe(
    requiring({
      connect: unconfirmed("stores:write"),
      list: "orders:read",
      disconnect: confirmed("stores:write"),
      order: "orders:read"
    })
  ) {}
