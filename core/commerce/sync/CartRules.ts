/**
 * What a store's word does to a cart, purely, and what is shown of an abandoned one.
 *
 * @module
 */
import type { Json } from "../../shared/Json.ts"
import type { Cart } from "../../model/Cart.ts"
import type { Order } from "../../model/Order.ts"
import type { CartFacts } from "../platforms/StoreChange.ts"

/** A cart of which nothing is known but its id. */
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
 * The cart as the store tells it now; the very same where the word is older than what is known. The same content told
 * again is no change: it neither moves the time it is left for, nor makes it to be told as abandoned once more. A change
 * after it became an order or was cleared opens it again.
 */
export const changeCart = (before: Cart, facts: CartFacts, contactId: string | null, at: number): Cart => {
  if (at < before.sourceUpdatedAt || (before.closedAt !== null && at <= before.closedAt)) return before
  const { currency, lineCount, lines, total, url } = facts
  const owner = contactId ?? before.contactId
  const told = { ...before, contactId: owner, currency, total, lineCount, lines, url, closedAt: null }
  const deepEqual = before.closedAt === null && contentOf(told) === contentOf(before)
  return deepEqual
    ? { ...before, url, sourceUpdatedAt: at }
    : { ...told, content: before.content + 1, changedAt: at, sourceUpdatedAt: at }
}

/** The cart with somebody it belongs to. */
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

/** The cart cleared, or become an order; the very same where it was changed since. */
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

/** What flows and templates see of a cart. */
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

/** A checkout that was left, as the list of orders shows it until it becomes one. */
export const leftCheckout = (
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
  reached: [],
  sourceUpdatedAt: cart.changedAt,
  version: 1
})
