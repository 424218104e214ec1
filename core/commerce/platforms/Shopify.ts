/**
 * Shopify's webhooks as changes (shopify.dev, Webhooks, REST payloads of API version 2025-01). Topics that tell nothing
 * the service keeps, and payloads that are not of their topic's shape, come to no change.
 *
 * @module
 */
import { maxName, maxPhone } from "../../audience/contacts/ContactWrite.ts"
import { maxItemName } from "../../catalog/ItemWrite.ts"
import { parseCurrency } from "../../shared/Currency.ts"
import { parseCountry, parseLanguage } from "../../shared/Locale.ts"
import type { Issue } from "../../shared/Problem.ts"
import { type CartLine, maxCartLines } from "../../model/Cart.ts"
import { fitsTag, nameOf } from "./EventData.ts"
import { Fields } from "./Fields.ts"
import { isNegative } from "./Money.ts"
import type { OrderStatus } from "../../model/Order.ts"
import { plainText } from "./PlainText.ts"
import { idOf, isKnown, maxShort } from "./ShopifyFields.ts"
import { shopifyRequest } from "./ShopifyRequests.ts"
import type { Store } from "../../model/Store.ts"
import { type Marketing, nobody, type Person, type StoreChange } from "./StoreChange.ts"

/** What a webhook of a topic tells. Issues of single fields are left aside: the field counts as not told. */
export const shopifyChange = (
  topic: string,
  payload: unknown,
  store: Pick<Store, "currency" | "domain">,
  now: number
): StoreChange | null => {
  const issues: Array<Issue> = []
  const data = new Fields(payload, "", issues)
  const at = data.moment("updated_at", now) ?? now
  switch (topic) {
    case "orders/create":
    case "orders/updated":
    case "orders/paid":
    case "orders/cancelled":
    case "orders/fulfilled":
    case "orders/partially_fulfilled":
      return orderOf(data, at, now)
    case "orders/delete":
      return withId(data, (externalId) => ({ _tag: "OrderRemoved", at: now, externalId }))
    case "customers/create":
    case "customers/update":
    case "customers/enable":
    case "customers/disable":
      return isKnown(customerOf(data, now)) ? { _tag: "Customer", at, person: customerOf(data, now) } : null
    case "customers_marketing_consent/update":
    case "customers_email_marketing_consent/update":
      return marketingUpdate(data, now)
    case "checkouts/create":
    case "checkouts/update":
      return checkoutOf(data, at, now)
    case "checkouts/delete":
      return withId(data, (externalId) => ({ _tag: "CartCleared", at: now, externalId }))
    case "carts/create":
    case "carts/update":
      return withId(data, (externalId) => ({
        _tag: "Cart",
        at,
        cart: cartOf(data, externalId),
        person: null
      }))
    case "products/create":
    case "products/update":
      return productOf(data, store, at)
    case "products/delete":
      return withId(data, (externalId) => ({ _tag: "ProductRemoved", at: now, externalId }))
    default:
      return shopifyRequest(topic, payload, now)
  }
}

const withId = (data: Fields, make: (id: string) => StoreChange): StoreChange | null => {
  const id = idOf(data)
  return id === null ? null : make(id)
}

/** Shopify keeps payment and fulfilment apart (REST, Order: financial_status, fulfillment_status). */
const statusOf = (data: Fields): OrderStatus => {
  const payment = data.text("financial_status", maxShort)
  if (payment === "refunded") return "Refunded"
  if (payment === "voided" || data.has("cancelled_at")) return "Cancelled"
  switch (payment) {
    case "paid":
    case "partially_refunded":
      return data.text("fulfillment_status", maxShort) === "fulfilled" ? "Completed" : "Paid"
    case "expired":
      return "Failed"
    default:
      return "Pending"
  }
}

const orderOf = (data: Fields, at: number, now: number): StoreChange | null => {
  const externalId = idOf(data)
  const currency = parseCurrency(data.text("currency", maxShort) ?? "")
  // What is left of it after refunds and edits, where Shopify tells.
  const total = data.amount("current_total_price") ?? data.amount("total_price")
  // Orders have a financial status, nothing else has.
  const isOrder = data.has("financial_status") || data.has("order_number")
  if (externalId === null || currency === null || total === null || isNegative(total) || !isOrder) return null
  const customer = data.child("customer")
  const billing = data.child("billing_address") ?? data.child("shipping_address")
  const known = customer === null ? nobody : customerOf(customer, now)
  const person: Person = {
    ...known,
    email: data.email("email") ?? data.email("contact_email") ?? known.email,
    profile: {
      ...known.profile,
      firstName: known.profile.firstName ?? billing?.text("first_name", maxName) ?? null,
      lastName: known.profile.lastName ?? billing?.text("last_name", maxName) ?? null,
      city: known.profile.city ?? billing?.text("city", maxName) ?? null,
      countryCode: known.profile.countryCode ?? parseCountry(billing?.text("country_code", maxShort) ?? ""),
      language: known.profile.language ?? parseLanguage(data.text("customer_locale", maxShort) ?? "")
    },
    marketing: known.marketing ?? accepted(data.flag("buyer_accepts_marketing"))
  }
  const number = data.text("name", maxShort) ?? data.id("order_number")
  const placedAt = data.moment("processed_at", now) ?? data.moment("created_at", now) ?? at
  const status = statusOf(data)
  return {
    _tag: "Order",
    at,
    person,
    order: {
      externalId,
      number,
      status,
      currency,
      total,
      customerName: nameOf(person),
      placedAt,
      paidAt: null,
      lineCount: data.list("line_items").length,
      cartIds: [data.id("checkout_id"), data.text("cart_token", maxShort * 2)].filter((id) => id !== null)
    }
  }
}

const accepted = (flag: boolean | null): Marketing | null =>
  flag === null ? null : { state: flag ? "Subscribed" : "Declined", proof: null, at: null }

const customerOf = (data: Fields, now: number): Person => {
  const address = data.child("default_address")
  const tags = data.text("tags", 10_000)
  return {
    customerId: idOf(data),
    email: data.email("email"),
    profile: {
      firstName: data.text("first_name", maxName),
      lastName: data.text("last_name", maxName),
      phone: data.text("phone", maxPhone) ?? address?.text("phone", maxPhone) ?? null,
      city: address?.text("city", maxName) ?? null,
      countryCode: parseCountry(address?.text("country_code", maxShort) ?? ""),
      language: parseLanguage(data.text("locale", maxShort) ?? "")
    },
    tags:
      tags === null
        ? null
        : [...new Set(tags.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "" && fitsTag(tag)),
    createdAt: data.moment("created_at", now),
    marketing:
      marketingOf(data.child("email_marketing_consent"), now) ?? accepted(data.flag("accepts_marketing"))
  }
}

/** Shopify's record of a consent: its state, how it was given and when (REST, Customer: email_marketing_consent). */
const marketingOf = (consent: Fields | null, now: number): Marketing | null => {
  if (consent === null) return null
  const at = consent.moment("consent_updated_at", now)
  switch (consent.text("state", maxShort)) {
    case "subscribed": {
      const level = consent.text("opt_in_level", maxShort) ?? "unknown"
      const from = consent.text("consent_collected_from", maxShort)
      const where = from === null ? "" : `, collected from ${from}`
      const text = `Shopify records the state subscribed with the opt-in level ${level}${where}.`
      const proof = { text, textVersion: null, locale: null, ipAddress: null, givenAt: at }
      return { state: "Subscribed", proof, at }
    }
    case "unsubscribed":
      return { state: "Unsubscribed", proof: null, at }
    case "not_subscribed":
    case "pending":
      return { state: "Declined", proof: null, at }
    default:
      return null
  }
}

const marketingUpdate = (data: Fields, now: number): StoreChange | null => {
  const marketing = marketingOf(data.child("email_marketing_consent"), now)
  const customerId = data.id("customer_id")
  const email = data.email("email_address")
  if (marketing === null || (customerId === null && email === null)) return null
  const person: Person = { ...nobody, customerId, email, marketing }
  return { _tag: "Subscriber", at: marketing.at ?? now, person }
}

const cartOf = (data: Fields, externalId: string) => {
  const lines = data.list("line_items")
  const token = data.text("cart_token", maxShort * 2)
  return {
    externalId,
    currency: parseCurrency(data.text("currency", maxShort) ?? ""),
    total: data.amount("total_price") ?? "0",
    lineCount: lines.length,
    lines: lines.slice(0, maxCartLines).map(lineOf),
    url: data.url("abandoned_checkout_url"),
    replaces: token === null ? [] : [token]
  }
}

const lineOf = (line: Fields): CartLine => ({
  productId: line.id("product_id"),
  name: line.text("title", maxName) ?? "",
  quantity: line.count("quantity", 1_000_000) ?? 1,
  price: line.amount("price")
})

const checkoutOf = (data: Fields, at: number, now: number): StoreChange | null => {
  const externalId = idOf(data)
  if (externalId === null || !data.has("token")) return null
  // A checkout that was completed goes on as an order.
  if (data.has("completed_at")) return { _tag: "CartCleared", at, externalId }
  const customer = data.child("customer")
  const known = customer === null ? nobody : customerOf(customer, now)
  const person: Person = {
    ...known,
    email: data.email("email") ?? known.email,
    marketing: known.marketing ?? accepted(data.flag("buyer_accepts_marketing"))
  }
  return { _tag: "Cart", at, cart: cartOf(data, externalId), person: isKnown(person) ? person : null }
}

const productOf = (
  data: Fields,
  store: Pick<Store, "currency" | "domain">,
  at: number
): StoreChange | null => {
  const id = idOf(data)
  const name = data.text("title", 1000)
  if (id === null || name === null) return null
  const variants = data.list("variants")
  const price = variants[0]?.amount("price") ?? null
  const compare = variants[0]?.amount("compare_at_price") ?? null
  const tracked = variants.filter((variant) => variant.has("inventory_management"))
  const stock = tracked.reduce((sum, variant) => sum + (variant.count("inventory_quantity", 1e9) ?? 0), 0)
  const oversells = variants.some(
    (variant) =>
      !variant.has("inventory_management") || variant.text("inventory_policy", maxShort) === "continue"
  )
  const handle = data.text("handle", maxShort * 3)
  const type = data.text("product_type", maxShort * 2)
  return {
    _tag: "Product",
    at,
    item: {
      id,
      kind: "product",
      name: name.slice(0, maxItemName).toWellFormed(),
      description: plainText(data.raw("body_html")),
      url: handle === null ? null : `https://${store.domain}/products/${encodeURIComponent(handle)}`,
      imageUrl: data.child("image")?.url("src") ?? data.list("images")[0]?.url("src") ?? null,
      ...pricesOf(price, compare, store.currency),
      inStock: variants.length === 0 || oversells || stock > 0,
      stockQuantity: tracked.length === variants.length && variants.length > 0 ? stock : null,
      categories: type === null ? [] : [type],
      active: data.text("status", maxShort) !== "archived" && data.text("status", maxShort) !== "draft"
    }
  }
}

/** The price of an item, with a currency or not at all. */
export const pricesOf = (price: string | null, compare: string | null, currency: string | null) => {
  const priced = price !== null && currency !== null && !isNegative(price)
  const higher = compare !== null && !isNegative(compare) && Number(compare) > Number(price ?? 0)
  return {
    price: priced ? Number(price) : null,
    comparePrice: priced && higher ? Number(compare) : null,
    currency
  }
}
