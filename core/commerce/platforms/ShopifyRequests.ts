/**
 * Maps Shopify's webhooks that request an action: erasure and access under privacy laws (shopify.dev, Privacy law compliance),
 * and the uninstallation of the app. The topic is not signed, so each body must have fields that no other topic's body has.
 *
 * @module
 */
import { Issues } from "../../shared/Problem.ts"
import { Fields, maxShort, shopifyIdOf } from "./Fields.ts"
import { isIdentified, type Person, type StoreChange, unknownPerson } from "./StoreChange.ts"

/** The change that a webhook requests; null for other topics and for bodies of another shape. */
export const shopifyRequest = (topic: string, payload: unknown, now: number): StoreChange | null => {
  const data = new Fields(payload, "", new Issues())
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

/** The person a request is about. */
const personOf = (data: Fields): Person | null => {
  const customer = data.child("customer")
  if (data.string("shop_domain", maxShort * 3) === null || customer === null) return null
  const person: Person = {
    ...unknownPerson,
    customerId: shopifyIdOf(customer),
    email: customer.email("email")
  }
  return isIdentified(person) ? person : null
}
