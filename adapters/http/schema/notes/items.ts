/**
 * Documents the catalogue endpoints (docs/contributing/public-api.md "Catalogue").
 *
 * @module
 */
import { maxItems } from "../../../../core/model/Item.ts"
import { maxItemBatch } from "../../../../core/catalog/ItemWrite.ts"
import type { Code } from "../../../../core/shared/Problem.ts"
import type { OperationNotes } from "../Notes.ts"
import { exampleIds, exampleTimestamp } from "./examples.ts"

const written = {
  id: "sku-1",
  kind: "product",
  name: "Teapot",
  url: "https://shop.example/teapot",
  price: 24.9,
  currency: "EUR",
  categories: ["Kitchen"],
  attributes: { colour: "white" }
}

const item = {
  id: exampleIds.item,
  source: "Api",
  storeId: null,
  externalId: "sku-1",
  kind: "product",
  name: "Teapot",
  description: null,
  url: "https://shop.example/teapot",
  imageUrl: null,
  price: 24.9,
  comparePrice: null,
  currency: "EUR",
  inStock: true,
  stockQuantity: null,
  categories: ["Kitchen"],
  attributes: { colour: "white" },
  active: true,
  createdAt: exampleTimestamp,
  updatedAt: null
}

const writeCodes: ReadonlyArray<Code> = [
  "catalog.item_attributes_invalid",
  "catalog.item_categories_invalid",
  "catalog.item_currency_invalid",
  "catalog.item_description_invalid",
  "catalog.item_id_invalid",
  "catalog.item_kind_invalid",
  "catalog.item_name_invalid",
  "catalog.item_name_missing",
  "catalog.item_price_invalid",
  "catalog.item_stock_quantity_invalid",
  "catalog.item_url_invalid",
  "catalog.items_limit"
]

/** POST /items. */
export const writeItem: OperationNotes = {
  description:
    "`id` is your own id: the same id updates the same item. A field left out keeps its value. A new item needs " +
    "`name`; it is of kind product, in stock and active where not said otherwise. A price needs a currency. An account " +
    `holds at most ${maxItems.toLocaleString("en")} items. Safe to repeat.`,
  success: { 200: "The item was updated", 201: "The item was created" },
  codes: writeCodes,
  example: { body: written, value: item }
}

/** POST /items/batch. */
export const writeItems: OperationNotes = {
  description:
    `Writes up to ${maxItemBatch.toLocaleString("en")} items, each as POST /items would; each fails on its own. ` +
    "Counts as one call for the rate limit. Safe to repeat.",
  success: { 200: "Every item was written or rejected by itself" },
  codes: ["catalog.batch_too_large"],
  entryCodes: ["common.body_too_complex", "validation.type", ...writeCodes],
  example: {
    body: { items: [written, { id: "sku-2", name: "Cup", price: 4.5, currency: "EUR" }] },
    value: {
      created: 1,
      updated: 1,
      failed: 0,
      results: [
        { index: 0, status: "updated", id: exampleIds.item, errors: null },
        { index: 1, status: "created", id: exampleIds.secondItem, errors: null }
      ]
    }
  }
}

const ownRules = "Items that a connected store syncs are not found here."

/** GET /items/{externalId}. */
export const readItem: OperationNotes = {
  description: `\`externalId\` is your own id. ${ownRules}`,
  success: { 200: "The item" },
  codes: ["catalog.item_not_found"],
  example: { parameters: { externalId: "sku-1" }, value: item }
}

/** DELETE /items/{externalId}. */
export const removeItem: OperationNotes = {
  description:
    `\`externalId\` is your own id. ${ownRules} To stop recommending an item and keep its history, write \`active\` ` +
    "false instead.",
  success: { 200: "The item was deleted" },
  codes: ["catalog.item_not_found"],
  example: { parameters: { externalId: "sku-2" }, value: null }
}
