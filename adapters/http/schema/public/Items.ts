/**
 * Defines the catalogue endpoints of the public API (docs/contributing/public-api.md "Catalogue").
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { itemKinds } from "../../../../core/model/Item.ts"
import {
  maxCategories,
  maxCategory,
  maxItemAttributes,
  maxItemBatch,
  maxItemDescription,
  maxItemId,
  maxItemName,
  maxItemUrl
} from "../../../../core/catalog/ItemWrite.ts"
import { batchResults, maxBatchBody } from "../BatchResults.ts"
import { BatchList, type BatchListOf, EndpointGuard, envelope, keyWith, MaxBody, maybe } from "../Envelope.ts"
import { asWritten, id, listUpTo, timestamp, oneOf, textUpTo } from "../Fields.ts"
import { Notes } from "../Notes.ts"
import { readItem, removeItem, writeItem, writeItems } from "../notes/items.ts"

const url = maybe(textUpTo(maxItemUrl)).annotateKey({ description: "http or https" })
const price = maybe(Schema.Number.annotate(asWritten)).annotateKey({
  minimum: 0,
  description: "Exact to 15 digits before and after the point"
})
const nullableText = Schema.NullOr(Schema.String)
const nullableNumber = Schema.NullOr(Schema.Number)

/** The item write shape. */
export const ItemWriteShape = Schema.Struct({
  id: maybe(textUpTo(maxItemId)).annotateKey({ description: "Your own id; required" }),
  kind: maybe(oneOf(itemKinds)),
  name: maybe(textUpTo(maxItemName)).annotateKey({ description: "Required for a new item" }),
  description: maybe(textUpTo(maxItemDescription)),
  url,
  imageUrl: url,
  price,
  comparePrice: price,
  currency: maybe(Schema.String).annotateKey({ description: "ISO 4217; required with a price" }),
  inStock: maybe(Schema.Boolean),
  stockQuantity: maybe(Schema.Int),
  categories: maybe(listUpTo(textUpTo(maxCategory), maxCategories)),
  attributes: maybe(
    Schema.Record(Schema.String, Schema.Unknown).annotate({ maxProperties: maxItemAttributes })
  ).annotateKey({ description: "Values by name: a string, number, boolean or list of strings" }),
  active: maybe(Schema.Boolean)
}).annotate({ identifier: "ItemWrite" })

const AttributeValue = Schema.Union([
  Schema.String,
  Schema.Number,
  Schema.Boolean,
  Schema.Array(Schema.String)
])

/** An item. */
export const ItemShape = Schema.Struct({
  id,
  source: Schema.String,
  storeId: Schema.NullOr(id),
  externalId: Schema.String,
  kind: Schema.Literals(itemKinds),
  name: Schema.String,
  description: nullableText,
  url: nullableText,
  imageUrl: nullableText,
  price: nullableNumber,
  comparePrice: nullableNumber,
  currency: nullableText,
  inStock: Schema.Boolean,
  stockQuantity: Schema.NullOr(Schema.Int),
  categories: Schema.Array(Schema.String),
  attributes: Schema.Record(Schema.String, AttributeValue),
  active: Schema.Boolean,
  createdAt: timestamp,
  updatedAt: Schema.NullOr(timestamp)
}).annotate({ identifier: "Item" })

/** Up to `maxItemBatch` items to write. */
export const ItemBatchShape = Schema.Struct({ items: listUpTo(ItemWriteShape, maxItemBatch) })

/** The result of each item of a batch. */
export const ItemBatchResultsShape = batchResults("ItemBatchResult", ["created", "updated", "failed"])

/** The list of a batch of items. */
export const itemBatchList: BatchListOf = {
  name: "items",
  element: ItemWriteShape,
  maxElements: maxItemBatch,
  maxValues: 20_000
}

const externalId = Schema.String.annotate({ description: "Your own id of the item" })

/** The routes of the catalogue. */
export class ItemsGroup extends HttpApiGroup.make("items")
  .add(
    HttpApiEndpoint.post("write", "/items", { payload: ItemWriteShape, success: envelope(ItemShape) })
      .annotate(EndpointGuard, keyWith("items:write"))
      .annotate(OpenApi.Summary, "Create or update an item")
      .annotate(Notes, writeItem),
    HttpApiEndpoint.post("writeBatch", "/items/batch", {
      payload: ItemBatchShape,
      success: envelope(ItemBatchResultsShape)
    })
      .annotate(EndpointGuard, keyWith("items:write"))
      .annotate(BatchList, itemBatchList)
      .annotate(MaxBody, maxBatchBody)
      .annotate(OpenApi.Summary, "Create or update up to 1,000 items")
      .annotate(Notes, writeItems),
    HttpApiEndpoint.get("get", "/items/:externalId", {
      params: { externalId },
      success: envelope(ItemShape)
    })
      .annotate(EndpointGuard, keyWith("items:read"))
      .annotate(OpenApi.Summary, "Read an item")
      .annotate(Notes, readItem),
    HttpApiEndpoint.delete("remove", "/items/:externalId", {
      params: { externalId },
      success: envelope(Schema.Null)
    })
      .annotate(EndpointGuard, keyWith("items:write"))
      .annotate(OpenApi.Summary, "Delete an item")
      .annotate(Notes, removeItem)
  )
  .annotate(OpenApi.Title, "Catalogue")
  .annotate(OpenApi.Description, "Items that emails recommend.") {}
