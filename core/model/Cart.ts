/**
 * Carts and checkouts of connected stores.
 *
 * @module
 */

import type { OrderLine } from "./Order.ts"

/** A cart as stored. Times are epoch milliseconds. */
export interface Cart {
  readonly id: string
  readonly storeId: string
  /** The platform's id of the cart, unique in the store. */
  readonly externalId: string
  /** The id of its contact; null until an address is known. */
  readonly contactId: string | null
  readonly currency: string | null
  /** An exact decimal in plain notation. */
  readonly total: string
  readonly lineCount: number
  /** The first lines of the cart. */
  readonly lines: ReadonlyArray<OrderLine>
  /** The URL at which the customer can continue the checkout. */
  readonly url: string | null
  /** The number of changes of its content and contact. */
  readonly content: number
  /** The store's time of the last change. */
  readonly changedAt: number
  /** The store's time of this state; older updates are ignored. */
  readonly sourceUpdatedAt: number
  /** When it was cleared or became an order; null while it is open. */
  readonly closedAt: number | null
  /** The value of `content` that was last recorded as abandoned; null for none. */
  readonly abandonedContent: number | null
  /** Increases by one with every write. */
  readonly version: number
}

/** How long a cart must be unchanged to count as abandoned, milliseconds (docs/contributing/public-api.md "Timeline events"). */
export const quietMillis = 30 * 60_000

/** Whether a cart can become abandoned: open, with products and an address, and not recorded as abandoned yet. */
export const mayBeAbandoned = (cart: Cart): boolean =>
  cart.closedAt === null &&
  cart.contactId !== null &&
  cart.lineCount > 0 &&
  cart.abandonedContent !== cart.content

/** When the cart counts as abandoned, unless it changes first. Epoch milliseconds. */
export const abandonedAt = (cart: Cart): number => cart.changedAt + quietMillis
