/**
 * The catalogue routes (public-api, Catalogue).
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { itemKinds } from "../../../core/catalog/Item.ts"
import { batchAnswer, maxBatchBody } from "./BatchAnswer.ts"
import { CheckedShape, EndpointGuard, envelope, keyWith, MaxBody, maybe } from "./Envelope.ts"

const text = maybe(Schema.String)
const nullableText = Schema.NullOr(Schema.String)
const nullableNumber = Schema.NullOr(Schema.Number)

/** The item write shape. */
export const ItemWriteShape = Schema.Struct({
  id: text,
  kind: text,
  name: text,
  description: text,
  url: text,
  imageUrl: text,
  price: maybe(Schema.Number),
  comparePrice: maybe(Schema.Number),
  currency: text,
  inStock: maybe(Schema.Boolean),
  stockQuantity: maybe(Schema.Int),
  categories: maybe(Schema.Array(Schema.String)),
  attributes: maybe(Schema.Record(Schema.String, Schema.Unknown)),
  active: maybe(Schema.Boolean)
}).annotate({ identifier: "ItemWrite" })

const AttributeValue = Schema.Union([
  Schema.String,
  Schema.Number,
  Schema.Boolean,
  Schema.Array(Schema.String)
])

const ItemShape = Schema.Struct({
  id: Schema.String,
  source: Schema.String,
  storeId: nullableText,
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
  createdAt: Schema.String,
  updatedAt: nullableText
}).annotate({ identifier: "Item" })

const BatchAnswer = batchAnswer("ItemBatchResult", ["created", "updated", "failed"])

/** The routes of the catalogue. */
export class ItemsGroup extends HttpApiGroup.make("items")
  .add(
    HttpApiEndpoint.post("write", "/items", { payload: ItemWriteShape, success: envelope(ItemShape) })
      .annotate(EndpointGuard, keyWith("items:write"))
      .annotate(OpenApi.Summary, "Create or update an item"),
    HttpApiEndpoint.post("writeBatch", "/items/batch", {
      payload: Schema.Struct({ items: Schema.Array(ItemWriteShape) }),
      success: envelope(BatchAnswer)
    })
      .annotate(EndpointGuard, keyWith("items:write"))
      .annotate(CheckedShape, Schema.Struct({ items: Schema.Array(Schema.Unknown) }))
      .annotate(MaxBody, maxBatchBody)
      .annotate(OpenApi.Summary, "Create or update up to 1,000 items"),
    HttpApiEndpoint.get("get", "/items/:externalId", {
      params: { externalId: Schema.String },
      success: envelope(ItemShape)
    })
      .annotate(EndpointGuard, keyWith("items:read"))
      .annotate(OpenApi.Summary, "Read an item"),
    HttpApiEndpoint.delete("remove", "/items/:externalId", {
      params: { externalId: Schema.String },
      success: envelope(Schema.Null)
    })
      .annotate(EndpointGuard, keyWith("items:write"))
      .annotate(OpenApi.Summary, "Delete an item")
  )
  .annotate(OpenApi.Title, "Catalogue") {}
