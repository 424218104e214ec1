/**
 * Defines the management endpoints of connected stores.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { itemNamings } from "../../../../core/catalog/ItemUses.ts"
import { itemKinds } from "../../../../core/model/Item.ts"
import { maxIds } from "../../../../core/bulk/BulkActions.ts"
import { receivedStatuses } from "../../../../core/model/ReceivedEvent.ts"
import { maxOrderLines, orderStatuses, orderViews } from "../../../../core/model/Order.ts"
import { consentModes, platforms, storeStatuses } from "../../../../core/model/Store.ts"
import { maxBatchBody } from "../BatchResults.ts"
import { BatchList, envelope, IsExpensive, MaxBody, maybe } from "../Envelope.ts"
import { anyOf, byTime, listing, listOf, search, sortedListing, timeRange } from "../Lists.ts"
import { id, listUpTo } from "../Fields.ts"
import { confirmed, requiring, unconfirmed } from "../Requirements.ts"
import { ItemBatchResultsShape, ItemBatchShape, itemBatchList, ItemShape } from "../public/Items.ts"
import { lookBack, maxSearch, OrderShape } from "../public/Orders.ts"
import { JobShape } from "../audience/Jobs.ts"
import { usedBy } from "./Flows.ts"
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
  status: Schema.Literals(storeStatuses),
  connectedAt: Schema.String,
  disconnectedAt: nullableText
}

const StoreShape = Schema.Struct({
  ...storeFacts,
  lastEventAt: nullableText.annotateKey({
    description: "When its newest event was accepted, of those of the last 30 days"
  }),
  failedEvents: Schema.Int.annotateKey({
    description: "Number of stored events of the store that were not accepted"
  })
}).annotate({ identifier: "Store" })

const ReceivedEventShape = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The store's id of the event; a digest where it has none" }),
  name: nullableText.annotateKey({
    description:
      "The name of the event or the topic of the webhook; null for one that an earlier version received"
  }),
  status: Schema.Literals(receivedStatuses),
  receivedAt: Schema.String,
  failure: Schema.NullOr(Schema.Struct({ code: Schema.String, field: nullableText, message: Schema.String })),
  isReplayable: Schema.Boolean
}).annotate({ identifier: "ReceivedStoreEvent" })

const IssuedStoreShape = Schema.Struct({
  ...storeFacts,
  token: Schema.String,
  webhookSecret: Schema.String
}).annotate({ identifier: "IssuedStore" })

const OrderLineShape = Schema.Struct({
  productId: nullableText,
  name: Schema.String,
  quantity: Schema.Int,
  price: Schema.NullOr(Schema.Number).annotateKey({ description: "Price of one unit" })
}).annotate({ identifier: "OrderLine" })

const StoredOrderShape = Schema.Struct({
  ...OrderShape.fields,
  externalId: Schema.String.annotateKey({ description: "The platform's id of the order" }),
  contactId: nullableText,
  lines: Schema.Array(OrderLineShape).annotateKey({
    description: `Its first ${maxOrderLines} lines; none of an order that an earlier version stored`
  }),
  reached: Schema.Array(Schema.String).annotateKey({
    description: "Events of the order on the timeline of its contact"
  })
}).annotate({ identifier: "StoredOrder" })

const ItemUsageShape = Schema.Struct({
  templates: Schema.Array(
    Schema.Struct({
      id,
      name: Schema.String,
      by: Schema.Literals(itemNamings).annotate({
        description:
          "`Id`: it names the item; `Category`: it recommends items of a category of the item, or of all"
      })
    })
  ),
  ...usedBy
}).annotate({ identifier: "ItemUsage" })

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
      query: {
        ...sortedListing({ time: byTime, name: ["Text", "Id"] }, "-time"),
        ...timeRange,
        storeId: anyOf(id),
        status: anyOf(Schema.Literals(storeStatuses))
      },
      success: envelope(listOf(StoreShape))
    }),
    HttpApiEndpoint.get("events", "/accounts/:accountId/stores/:id/events", {
      params: resourcePath,
      query: { ...listing(["Time", "Text"]), ...timeRange, status: anyOf(Schema.Literals(receivedStatuses)) },
      success: envelope(listOf(ReceivedEventShape))
    }).annotate(OpenApi.Summary, "List the events that a store sent in the last 30 days"),
    HttpApiEndpoint.post("replay", "/accounts/:accountId/stores/:id/events/replay", {
      params: resourcePath,
      payload: Schema.Struct({
        ids: Schema.optionalKey(
          listUpTo(Schema.String, maxIds).annotate({
            description: "All events that were not accepted without it"
          })
        )
      }),
      success: envelope(JobShape)
    }).annotate(OpenApi.Summary, "Replay events of a store that were not accepted, by a job"),
    HttpApiEndpoint.delete("disconnect", "/accounts/:accountId/stores/:id", {
      params: resourcePath,
      success: envelope(Schema.Null)
    }),
    HttpApiEndpoint.get("orders", "/accounts/:accountId/orders", {
      params: accountPath,
      query: {
        ...sortedListing({ time: byTime, name: ["Text", "Id"] }, "-time"),
        ...timeRange,
        storeId: anyOf(id),
        status: anyOf(Schema.Literals(orderStatuses)),
        view: anyOf(Schema.Literals(orderViews), "Which orders, by their state"),
        days: lookBack,
        q: search(
          "A part of the number, the email or the customer's name; found newest first alone",
          maxSearch
        )
      },
      success: envelope(listOf(OrderShape))
    }).annotate(OpenApi.Summary, "List the orders of connected stores"),
    HttpApiEndpoint.get("items", "/accounts/:accountId/items", {
      params: accountPath,
      query: {
        ...sortedListing({ time: byTime, name: ["Text", "Id"] }, "-time"),
        ...timeRange,
        storeId: anyOf(id),
        kind: anyOf(Schema.Literals(itemKinds)),
        status: anyOf(Schema.Literals(["Active", "Inactive"])),
        q: search("The beginning of the name or of the external id")
      },
      success: envelope(listOf(ItemShape))
    }).annotate(OpenApi.Summary, "List the items of the catalogue, those of stores included"),
    HttpApiEndpoint.post("importItems", "/accounts/:accountId/items/batch", {
      params: accountPath,
      payload: ItemBatchShape,
      success: envelope(ItemBatchResultsShape)
    })
      .annotate(BatchList, itemBatchList)
      .annotate(MaxBody, maxBatchBody)
      .annotate(OpenApi.Summary, "Create or update up to 1,000 items, each by itself"),
    HttpApiEndpoint.get("itemUsage", "/accounts/:accountId/items/:id/usage", {
      params: resourcePath,
      success: envelope(ItemUsageShape)
    })
      .annotate(IsExpensive, true)
      .annotate(OpenApi.Summary, "Say which templates, flows and campaigns show an item"),
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
      events: "orders:read",
      replay: unconfirmed("stores:write"),
      disconnect: confirmed("stores:write"),
      order: "orders:read",
      orders: "orders:read",
      items: "catalog:read",
      importItems: "catalog:write",
      itemUsage: "catalog:read"
    })
  ) {}
