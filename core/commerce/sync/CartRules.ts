/**
 * Pure rules: apply updates of stores to carts, and define which properties of an abandoned cart events and orders show.
 *
 * @module
 */
import type { Json } from "../../shared/Json.ts"
import type { Cart } from "../../model/Cart.ts"
import type { Order } from "../../model/Order.ts"
import type { CartFacts } from "../platforms/StoreChange.ts"

/** A cart without content. */
export const newCart = (id: string, storeId: string, externalId: string): Cart => ({
  id,
  storeId,
  externalId,
  contactId: null,
  currency: null,
  total: "0",
  lineCount: 0,
  lines: [],
  url: null,
  content: 0,
  changedAt: 0,
  sourceUpdatedAt: 0,
  closedAt: null,
  abandonedContent: null,
  version: 0
})

/**
 * Returns the cart after an update; the same object if the update is older than the stored cart. An update with the same
 * content is not a change: it neither restarts the wait until the cart is abandoned, nor makes the cart abandoned again. A
 * change after the cart became an order or was cleared reopens it.
 */
export const changeCart = (before: Cart, facts: CartFacts, contactId: string | null, at: number): Cart => {
  if (at < before.sourceUpdatedAt || (before.closedAt !== null && at <= before.closedAt)) return before
  const { currency, lineCount, lines, total, url } = facts
  const owner = contactId ?? before.contactId
  const updated = { ...before, contactId: owner, currency, total, lineCount, lines, url, closedAt: null }
  const isUnchanged = before.closedAt === null && contentOf(updated) === contentOf(before)
  return isUnchanged
    ? { ...before, url, sourceUpdatedAt: at }
    : { ...updated, content: before.content + 1, changedAt: at, sourceUpdatedAt: at }
}

/** Returns the cart with its contact. */
export const identifyCart = (before: Cart, contactId: string, at: number): Cart =>
  before.contactId === contactId
    ? before
    : {
        ...before,
        contactId,
        content: before.content + 1,
        changedAt: Math.max(before.changedAt, at),
        sourceUpdatedAt: Math.max(before.sourceUpdatedAt, at)
      }

/** Returns the cart closed because it was cleared or became an order; the same object if it changed later. */
export const closeCart = (before: Cart, at: number): Cart =>
  at < before.changedAt || (before.closedAt !== null && before.closedAt >= at)
    ? before
    : { ...before, closedAt: at, sourceUpdatedAt: Math.max(at, before.sourceUpdatedAt) }

const contentOf = ({ contactId, currency, lineCount, lines, total }: Cart): string =>
  JSON.stringify([
    contactId,
    currency,
    total,
    lineCount,
    lines.map(({ name, price, productId, quantity }) => [productId, name, quantity, price])
  ])

/** The properties of a cart in flows and templates. */
export const cartProperties = (cart: Cart): Readonly<Record<string, Json>> => ({
  cartId: cart.id,
  storeId: cart.storeId,
  externalId: cart.externalId,
  currency: cart.currency,
  total: Number(cart.total),
  lineCount: cart.lineCount,
  url: cart.url,
  lines: cart.lines.map(({ name, price, productId, quantity }) => ({
    name,
    price: price === null ? null : Number(price),
    productId,
    quantity
  }))
})

/** The draft order that lists an abandoned cart until it becomes an order. */
export const abandonedCheckout = (
  cart: Cart,
  id: string,
  owner: { readonly email: string | null; readonly customerName: string | null }
): Order => ({
  id,
  storeId: cart.storeId,
  externalId: cart.id,
  number: null,
  status: "Draft",
  currency: cart.currency ?? "XXX",
  total: cart.total,
  ...owner,
  contactId: cart.contactId,
  placedAt: cart.changedAt,
  paidAt: null,
  lineCount: cart.lineCount,
  lines: cart.lines,
  reached: [],
  sourceUpdatedAt: cart.changedAt,
  version: 1
})
