/**
 * What Shopify asks for by webhooks, where others tell of something: what privacy laws demand (shopify.dev, Privacy law
 * compliance), and that the app is gone. A topic is not signed, so the body has to be of such a shape as no other
 * topic's is.
 *
 * @module
 */
import { Fields } from "./Fields.ts"
import { idOf, isKnown, maxShort } from "./ShopifyFields.ts"
import { nobody, type Person, type StoreChange } from "./StoreChange.ts"

/** What a webhook of a topic asks for; null for other topics, and for bodies that are not of their topic's shape. */
export const shopifyRequest = (topic: string, payload: unknown, now: number): StoreChange | null => {
  const data = new Fields(payload, "", [])
  switch (topic) {
    case "customers/redact": {
      const person = data.has("orders_to_redact") ? personOf(data) : null
      return person === null ? null : { _tag: "Erasure", at: now, person }
    }
    case "customers/data_request": {
      const person = data.has("orders_requested") ? personOf(data) : null
      const request = data.child("data_request")?.id("id") ?? null
      return person === null || request === null ? null : { _tag: "DataRequest", at: now, person, request }
    }
    case "shop/redact": {
      const keys = typeof payload === "object" && payload !== null ? Object.keys(payload).toSorted() : []
      const isOnlyShop = keys.join(" ") === "shop_domain shop_id"
      return isOnlyShop && data.id("shop_id") !== null ? { _tag: "StoreErasure", at: now } : null
    }
    case "app/uninstalled":
      return data.has("myshopify_domain") ? { _tag: "Uninstalled", at: now } : null
    default:
      return null
  }
}

/** Whom a request is about. */
const personOf = (data: Fields): Person | null => {
  const customer = data.child("customer")
  if (data.text("shop_domain", maxShort * 3) === null || customer === null) return null
  const person: Person = { ...nobody, customerId: idOf(customer), email: customer.email("email") }
  return isKnown(person) ? person : null
}
