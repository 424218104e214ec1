/**
 * Maps Shopify's webhooks to changes (shopify.dev, Webhooks, REST payloads of API version 2025-01). Unknown topics and
 * payloads of another shape map to no change.
 *
 * @module
 */
import { maxName, maxPhone } from "../../audience/contacts/ContactWrite.ts"
import { maxItemName } from "../../catalog/ItemWrite.ts"
import { parseCurrency } from "../../shared/Currency.ts"
import { parseCountry, parseLanguage } from "../../shared/Locale.ts"
import { fitsTag, nameOf } from "./EventData.ts"
import { Issues } from "../../shared/Problem.ts"
import { Fields, linesOf, maxShort, shopifyIdOf } from "./Fields.ts"
import { exactDecimalOf } from "../../shared/Decimal.ts"
import { writtenNumber } from "../../shared/Json.ts"
import { isNegative } from "./Money.ts"
import type { OrderStatus } from "../../model/Order.ts"
import { plainText } from "./PlainText.ts"
import { shopifyRequest } from "./ShopifyRequests.ts"
import type { Store } from "../../model/Store.ts"
import { isIdentified, type Marketing, type Person, type StoreChange, unknownPerson } from "./StoreChange.ts"

/** The change that a webhook reports; null if there is none. Invalid fields are ignored. */
export const shopifyChange = (
  topic: string,
  payload: unknown,
  store: Pick<Store, "currency" | "domain">,
  now: number
): StoreChange | null => {
  const data = new Fields(payload, "", new Issues())
  const at = data.timestamp("updated_at", now) ?? now
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
      return customerChange(customerOf(data, now), at)
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

const customerChange = (person: Person, at: number): StoreChange | null =>
  isIdentified(person) ? { _tag: "Customer", at, person } : null

const withId = (data: Fields, make: (id: string) => StoreChange): StoreChange | null => {
  const id = shopifyIdOf(data)
  return id === null ? null : make(id)
}

/**
 * The status of an order. Shopify has separate states of payment and fulfilment (REST, Order: financial_status,
 * fulfillment_status).
 */
const statusOf = (data: Fields): OrderStatus => {
  const payment = data.string("financial_status", maxShort)
  if (payment === "refunded") return "Refunded"
  if (payment === "voided" || data.has("cancelled_at")) return "Cancelled"
  switch (payment) {
    case "paid":
    case "partially_refunded":
      return data.string("fulfillment_status", maxShort) === "fulfilled" ? "Completed" : "Paid"
    case "expired":
      return "Failed"
    default:
      return "Pending"
  }
}

const orderOf = (data: Fields, at: number, now: number): StoreChange | null => {
  const externalId = shopifyIdOf(data)
  const currency = parseCurrency(data.string("currency", maxShort) ?? "")
  // The current total excludes refunds and edits.
  const total = data.amount(data.has("current_total_price") ? "current_total_price" : "total_price")
  // Only orders have a financial status.
  const isOrder = data.has("financial_status") || data.has("order_number")
  if (externalId === null || currency === null || total === null || isNegative(total) || !isOrder) return null
  const customer = data.child("customer")
  const billing = data.child("billing_address") ?? data.child("shipping_address")
  const known = customer === null ? unknownPerson : customerOf(customer, now)
  const person: Person = {
    ...known,
    email: data.email("email") ?? data.email("contact_email") ?? known.email,
    profile: {
      ...known.profile,
      firstName: known.profile.firstName ?? billing?.string("first_name", maxName) ?? null,
      lastName: known.profile.lastName ?? billing?.string("last_name", maxName) ?? null,
      city: known.profile.city ?? billing?.string("city", maxName) ?? null,
      countryCode: known.profile.countryCode ?? parseCountry(billing?.string("country_code", maxShort) ?? ""),
      language: known.profile.language ?? parseLanguage(data.string("customer_locale", maxShort) ?? "")
    },
    marketing: known.marketing ?? accepted(data.flag("buyer_accepts_marketing"))
  }
  const number = data.string("name", maxShort) ?? data.id("order_number")
  const lines = data.list("line_items")
  const placedAt = data.timestamp("processed_at", now) ?? data.timestamp("created_at", now) ?? at
  return {
    _tag: "Order",
    at,
    person,
    order: {
      externalId,
      number,
      status: statusOf(data),
      currency,
      total,
      customerName: nameOf(person.profile),
      placedAt,
      paidAt: null,
      lineCount: lines.length,
      lines: linesOf(lines, "product_id", "title"),
      cartIds: [data.id("checkout_id"), data.string("cart_token", maxShort * 2)].filter((id) => id !== null)
    }
  }
}

const accepted = (flag: boolean | null): Marketing | null =>
  flag === null ? null : { state: flag ? "Subscribed" : "Declined", proof: null, at: null }

const customerOf = (data: Fields, now: number): Person => {
  const address = data.child("default_address")
  const tags = data.string("tags", 10_000)
  return {
    customerId: shopifyIdOf(data),
    email: data.email("email"),
    profile: {
      firstName: data.string("first_name", maxName),
      lastName: data.string("last_name", maxName),
      phone: data.string("phone", maxPhone) ?? address?.string("phone", maxPhone) ?? null,
      city: address?.string("city", maxName) ?? null,
      countryCode: parseCountry(address?.string("country_code", maxShort) ?? ""),
      language: parseLanguage(data.string("locale", maxShort) ?? "")
    },
    tags:
      tags === null
        ? null
        : [...new Set(tags.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "" && fitsTag(tag)),
    createdAt: data.timestamp("created_at", now),
    marketing:
      marketingOf(data.child("email_marketing_consent"), now) ?? accepted(data.flag("accepts_marketing"))
  }
}

/** Shopify's record of a consent (REST, Customer: email_marketing_consent). */
const marketingOf = (consent: Fields | null, now: number): Marketing | null => {
  if (consent === null) return null
  const at = consent.timestamp("consent_updated_at", now)
  switch (consent.string("state", maxShort)) {
    case "subscribed": {
      const level = consent.string("opt_in_level", maxShort) ?? "unknown"
      const from = consent.string("consent_collected_from", maxShort)
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
  const person: Person = { ...unknownPerson, customerId, email, marketing }
  return { _tag: "Subscriber", at: marketing.at ?? now, person }
}

const cartOf = (data: Fields, externalId: string) => {
  const lines = data.list("line_items")
  const token = data.string("cart_token", maxShort * 2)
  return {
    externalId,
    currency: parseCurrency(data.string("currency", maxShort) ?? ""),
    total: data.amount("total_price") ?? "0",
    lineCount: lines.length,
    lines: linesOf(lines, "product_id", "title"),
    url: data.url("abandoned_checkout_url"),
    replaces: token === null ? [] : [token]
  }
}

const checkoutOf = (data: Fields, at: number, now: number): StoreChange | null => {
  const externalId = shopifyIdOf(data)
  if (externalId === null || !data.has("token")) return null
  // A completed checkout is reported again as an order.
  if (data.has("completed_at")) return { _tag: "CartCleared", at, externalId }
  const customer = data.child("customer")
  const known = customer === null ? unknownPerson : customerOf(customer, now)
  const person: Person = {
    ...known,
    email: data.email("email") ?? known.email,
    marketing: known.marketing ?? accepted(data.flag("buyer_accepts_marketing"))
  }
  return { _tag: "Cart", at, cart: cartOf(data, externalId), person: isIdentified(person) ? person : null }
}

const productOf = (
  data: Fields,
  store: Pick<Store, "currency" | "domain">,
  at: number
): StoreChange | null => {
  const id = shopifyIdOf(data)
  const name = data.string("title", 1000)
  if (id === null || name === null) return null
  const variants = data.list("variants")
  const price = variants[0]?.amount("price") ?? null
  const compare = variants[0]?.amount("compare_at_price") ?? null
  const tracked = variants.filter((variant) => variant.has("inventory_management"))
  const stock = tracked.reduce((sum, variant) => sum + (variant.count("inventory_quantity", 1e9) ?? 0), 0)
  const oversells = variants.some(
    (variant) =>
      !variant.has("inventory_management") || variant.string("inventory_policy", maxShort) === "continue"
  )
  const handle = data.string("handle", maxShort * 3)
  const type = data.string("product_type", maxShort * 2)
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
      active: data.string("status", maxShort) !== "archived" && data.string("status", maxShort) !== "draft"
    }
  }
}

/** Whether a double represents a price exactly. */
const isPrice = (amount: string | null): amount is string =>
  amount !== null && !isNegative(amount) && exactDecimalOf(writtenNumber(amount)) !== null

/** The prices of an item; null without a currency, and for a price that would have to be rounded. */
export const pricesOf = (price: string | null, compare: string | null, currency: string | null) => {
  const priced = isPrice(price) && currency !== null
  const higher = isPrice(compare) && Number(compare) > Number(price ?? 0)
  return {
    price: priced ? Number(price) : null,
    comparePrice: priced && higher ? Number(compare) : null,
    currency
  }
}
