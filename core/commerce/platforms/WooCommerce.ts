/**
 * WooCommerce's webhooks as changes (WooCommerce REST API v3: what a webhook carries is what the API answers). Topics
 * that tell nothing the service keeps, and payloads that are not of their topic's shape, come to no change.
 *
 * @module
 */
import { maxName, maxPhone } from "../../audience/contacts/ContactWrite.ts"
import { maxItemName } from "../../catalog/ItemWrite.ts"
import { parseCurrency } from "../../shared/Currency.ts"
import { parseCountry } from "../../shared/Locale.ts"
import type { Issue } from "../../shared/Problem.ts"
import { nameOf } from "./EventData.ts"
import { Fields } from "./Fields.ts"
import { isNegative, sumAmounts } from "./Money.ts"
import type { OrderStatus } from "../../model/Order.ts"
import { plainText } from "./PlainText.ts"
import { pricesOf } from "./Shopify.ts"
import type { Store } from "../../model/Store.ts"
import { nobody, type Person, type StoreChange } from "./StoreChange.ts"

const maxShort = 100

/** What a webhook of a topic tells. Issues of single fields are left aside: the field counts as not told. */
export const wooCommerceChange = (
  topic: string,
  payload: unknown,
  store: Pick<Store, "currency">,
  now: number
): StoreChange | null => {
  const issues: Array<Issue> = []
  const data = new Fields(payload, "", issues)
  const at = moment(data, "date_modified", now) ?? now
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
      return person.customerId === null && person.email === null ? null : { _tag: "Customer", at, person }
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

/** Dates come twice: in the shop's time, and as `..._gmt` without an offset in UTC. */
const moment = (data: Fields, key: string, now: number): number | null => data.moment(`${key}_gmt`, now, "Z")

const withId = (data: Fields, make: (id: string) => StoreChange): StoreChange | null => {
  const id = data.id("id")
  return id === null ? null : make(id)
}

/** WooCommerce's own statuses; of one that a plugin adds, whether it was paid. */
const statusOf = (data: Fields): OrderStatus => {
  switch (data.text("status", maxShort)) {
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
  const currency = parseCurrency(data.text("currency", maxShort) ?? "")
  const total = data.amount("total")
  if (externalId === null || currency === null || total === null || isNegative(total)) return null
  const billing = data.child("billing")
  const person: Person = {
    ...nobody,
    customerId: data.id("customer_id"),
    ...(billing === null ? {} : { email: billing.email("email"), profile: profileOf(billing, billing) })
  }
  // Refunds are negative amounts beside a total that stays.
  const refunds = data.list("refunds").flatMap((refund) => refund.amount("total") ?? [])
  const left = sumAmounts([total, ...refunds.filter(isNegative)])
  return {
    _tag: "Order",
    at,
    person,
    order: {
      externalId,
      number: data.id("number"),
      status: statusOf(data),
      currency,
      total: isNegative(left) ? "0" : left,
      customerName: nameOf(person),
      placedAt: moment(data, "date_created", now) ?? at,
      paidAt: moment(data, "date_paid", now),
      lineCount: data.list("line_items").length,
      cartIds: []
    }
  }
}

const profileOf = (names: Fields, billing: Fields | null) => ({
  firstName: names.text("first_name", maxName),
  lastName: names.text("last_name", maxName),
  phone: billing?.text("phone", maxPhone) ?? null,
  city: billing?.text("city", maxName) ?? null,
  countryCode: parseCountry(billing?.text("country", maxShort) ?? ""),
  language: null
})

const customerOf = (data: Fields, now: number): Person => ({
  ...nobody,
  customerId: data.id("id"),
  email: data.email("email"),
  profile: profileOf(data, data.child("billing")),
  createdAt: moment(data, "date_created", now)
})

const productOf = (data: Fields, store: Pick<Store, "currency">, at: number): StoreChange | null => {
  const id = data.id("id")
  const name = data.text("name", 1000)
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
      inStock: data.text("stock_status", maxShort) !== "outofstock",
      stockQuantity: stock,
      categories: [
        ...new Set(data.list("categories").flatMap((category) => category.text("name", maxShort * 2) ?? []))
      ].slice(0, 50),
      active: data.text("status", maxShort) === "publish"
    }
  }
}
