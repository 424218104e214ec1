/**
 * Maps WooCommerce's webhooks to changes (WooCommerce REST API v3, whose responses the webhooks carry). Unknown topics and
 * payloads of another shape map to no change.
 *
 * @module
 */
import { maxName, maxPhone } from "../../audience/contacts/ContactWrite.ts"
import { maxItemName } from "../../catalog/ItemWrite.ts"
import { parseCurrency } from "../../shared/Currency.ts"
import { parseCountry } from "../../shared/Locale.ts"
import { nameOf } from "./EventData.ts"
import { Issues } from "../../shared/Problem.ts"
import { Fields, linesOf, maxShort } from "./Fields.ts"
import { isNegative, sumAmounts } from "./Money.ts"
import type { OrderStatus } from "../../model/Order.ts"
import { plainText } from "./PlainText.ts"
import { pricesOf } from "./Shopify.ts"
import type { Store } from "../../model/Store.ts"
import { isIdentified, type Person, type StoreChange, unknownPerson } from "./StoreChange.ts"

/** The change that a webhook reports; null if there is none. Invalid fields are ignored. */
export const wooCommerceChange = (
  topic: string,
  payload: unknown,
  store: Pick<Store, "currency">,
  now: number
): StoreChange | null => {
  const data = new Fields(payload, "", new Issues())
  const at = timestamp(data, "date_modified", now) ?? now
  switch (topic) {
    case "order.created":
    case "order.updated":
    case "order.restored":
      return orderOf(data, at, now)
    case "order.deleted":
      return withId(data, (externalId) => ({ _tag: "OrderRemoved", at: now, externalId }))
    case "customer.created":
    case "customer.updated": {
      const person = customerOf(data, now)
      return isIdentified(person) ? { _tag: "Customer", at, person } : null
    }
    case "product.created":
    case "product.updated":
    case "product.restored":
      return productOf(data, store, at)
    case "product.deleted":
      return withId(data, (externalId) => ({ _tag: "ProductRemoved", at: now, externalId }))
    default:
      return null
  }
}

/** Each date occurs twice: in the shop's local time, and as `..._gmt` in UTC without an offset. */
const timestamp = (data: Fields, key: string, now: number): number | null =>
  data.timestamp(`${key}_gmt`, now, "Z")

const withId = (data: Fields, make: (id: string) => StoreChange): StoreChange | null => {
  const id = data.id("id")
  return id === null ? null : make(id)
}

/** Maps WooCommerce's statuses. An order with a status of a plugin is Paid or Pending. */
const statusOf = (data: Fields): OrderStatus => {
  switch (data.string("status", maxShort)) {
    case "pending":
    case "on-hold":
      return "Pending"
    case "processing":
      return "Paid"
    case "completed":
      return "Completed"
    case "cancelled":
    case "trash":
      return "Cancelled"
    case "refunded":
      return "Refunded"
    case "failed":
      return "Failed"
    case "checkout-draft":
    case "auto-draft":
    case "draft":
      return "Draft"
    default:
      return data.has("date_paid_gmt") ? "Paid" : "Pending"
  }
}

const orderOf = (data: Fields, at: number, now: number): StoreChange | null => {
  const externalId = data.id("id")
  const currency = parseCurrency(data.string("currency", maxShort) ?? "")
  const total = data.amount("total")
  if (externalId === null || currency === null || total === null || isNegative(total)) return null
  const billing = data.child("billing")
  const person: Person = {
    ...unknownPerson,
    customerId: data.id("customer_id"),
    ...(billing === null ? {} : { email: billing.email("email"), profile: profileOf(billing, billing) })
  }
  // The total includes refunds, which are negative amounts.
  const refunds = data.list("refunds").flatMap((refund) => refund.amount("total") ?? [])
  const lines = data.list("line_items")
  const remaining = sumAmounts([total, ...refunds.filter(isNegative)])
  return {
    _tag: "Order",
    at,
    person,
    order: {
      externalId,
      number: data.id("number"),
      status: statusOf(data),
      currency,
      total: isNegative(remaining) ? "0" : remaining,
      customerName: nameOf(person.profile),
      placedAt: timestamp(data, "date_created", now) ?? at,
      paidAt: timestamp(data, "date_paid", now),
      lineCount: lines.length,
      lines: linesOf(lines, "product_id", "name"),
      cartIds: []
    }
  }
}

const profileOf = (names: Fields, billing: Fields | null) => ({
  firstName: names.string("first_name", maxName),
  lastName: names.string("last_name", maxName),
  phone: billing?.string("phone", maxPhone) ?? null,
  city: billing?.string("city", maxName) ?? null,
  countryCode: parseCountry(billing?.string("country", maxShort) ?? ""),
  language: null
})

const customerOf = (data: Fields, now: number): Person => ({
  ...unknownPerson,
  customerId: data.id("id"),
  email: data.email("email"),
  profile: profileOf(data, data.child("billing")),
  createdAt: timestamp(data, "date_created", now)
})

const productOf = (data: Fields, store: Pick<Store, "currency">, at: number): StoreChange | null => {
  const id = data.id("id")
  const name = data.string("name", 1000)
  if (id === null || name === null) return null
  const price = data.amount("price")
  const stock = data.count("stock_quantity", 1e9)
  return {
    _tag: "Product",
    at,
    item: {
      id,
      kind: "product",
      name: name.slice(0, maxItemName).toWellFormed(),
      description: plainText(data.raw("short_description")) ?? plainText(data.raw("description")),
      url: data.url("permalink"),
      imageUrl: data.list("images")[0]?.url("src") ?? null,
      ...pricesOf(price, data.amount("regular_price"), store.currency),
      inStock: data.string("stock_status", maxShort) !== "outofstock",
      stockQuantity: stock,
      categories: [
        ...new Set(data.list("categories").flatMap((category) => category.string("name", maxShort * 2) ?? []))
      ].slice(0, 50),
      active: data.string("status", maxShort) === "publish"
    }
  }
}
