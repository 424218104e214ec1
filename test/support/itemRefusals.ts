/**
 * Invalid item writes, with the error for each.
 *
 * @module
 */
import type { ItemWrite } from "../../core/catalog/ItemWrite.ts"
import type { Code } from "../../core/shared/Problem.ts"

const long = (length: number) => "x".repeat(length)

/** The code and the field of the error, and the write. */
export const itemRefusals: ReadonlyArray<readonly [code: Code, field: string, write: ItemWrite]> = [
  ["catalog.item_id_invalid", "id", {}],
  ["catalog.item_id_invalid", "id", { id: null }],
  ["catalog.item_id_invalid", "id", { id: " " }],
  ["catalog.item_id_invalid", "id", { id: "." }],
  ["catalog.item_id_invalid", "id", { id: " .. " }],
  ["catalog.item_id_invalid", "id", { id: long(201) }],
  ["catalog.item_id_invalid", "id", { id: "a\0b" }],
  ["catalog.item_kind_invalid", "kind", { id: "a", kind: "Product" }],
  ["catalog.item_kind_invalid", "kind", { id: "a", kind: "toString" }],
  ["catalog.item_name_missing", "name", { id: "a", name: " " }],
  ["catalog.item_name_invalid", "name", { id: "a", name: long(301) }],
  ["catalog.item_name_invalid", "name", { id: "a", name: "\ud800" }],
  ["catalog.item_description_invalid", "description", { id: "a", description: long(10_001) }],
  ["catalog.item_url_invalid", "url", { id: "a", url: "javascript:alert(1)" }],
  ["catalog.item_url_invalid", "url", { id: "a", url: "/relative" }],
  ["catalog.item_url_invalid", "url", { id: "a", url: "https://a b.example" }],
  ["catalog.item_url_invalid", "imageUrl", { id: "a", imageUrl: "ftp://files.example/a" }],
  ["catalog.item_url_invalid", "imageUrl", { id: "a", imageUrl: `https://a.example/${long(2000)}` }],
  ["catalog.item_price_invalid", "price", { id: "a", price: -0.01 }],
  ["catalog.item_price_invalid", "price", { id: "a", price: 0.1 + 0.2 }],
  ["catalog.item_price_invalid", "price", { id: "a", price: 1e15 }],
  ["catalog.item_price_invalid", "comparePrice", { id: "a", comparePrice: 1e-16 }],
  ["catalog.item_currency_invalid", "currency", { id: "a", currency: "EURO" }],
  ["catalog.item_currency_invalid", "currency", { id: "a", currency: "XYZ" }],
  ["catalog.item_stock_quantity_invalid", "stockQuantity", { id: "a", stockQuantity: 2 ** 31 }],
  ["catalog.item_categories_invalid", "categories", { id: "a", categories: [""] }],
  ["catalog.item_categories_invalid", "categories", { id: "a", categories: [long(201)] }],
  [
    "catalog.item_categories_invalid",
    "categories",
    { id: "a", categories: Array.from({ length: 51 }, (_, index) => `c${index}`) }
  ],
  ["catalog.item_attributes_invalid", "attributes.a", { id: "a", attributes: { a: {} } }],
  ["catalog.item_attributes_invalid", "attributes.a", { id: "a", attributes: { a: [1] } }],
  ["catalog.item_attributes_invalid", "attributes.a", { id: "a", attributes: { a: long(1001) } }],
  ["catalog.item_attributes_invalid", "attributes", { id: "a", attributes: { "": 1 } }],
  [
    "catalog.item_attributes_invalid",
    "attributes",
    { id: "a", attributes: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [index, 1])) }
  ]
]
