/**
 * Carts and checkouts of connected stores.
 *
 * @module
 */

/** A line of a cart, as flows and templates may show it. */
export interface CartLine {
  /** The platform's id of the product. */
  readonly productId: string | null
  readonly name: string
  readonly quantity: number
  /** Of one piece: an exact decimal in plain notation. */
  readonly price: string | null
}

/** A cart as stored. Times are epoch milliseconds. */
export interface Cart {
  readonly id: string
  readonly storeId: string
  /** The platform's id, unique in the store. */
  readonly externalId: string
  /** Whose it is; null while nobody's address is known. */
  readonly contactId: string | null
  readonly currency: string | null
  /** An exact decimal in plain notation. */
  readonly total: string
  readonly lineCount: number
  /** The first of its lines. */
  readonly lines: ReadonlyArray<CartLine>
  /** Where the checkout goes on. */
  readonly url: string | null
  /** Counts the changes of what is in it and whose it is. */
  readonly content: number
  /** The store's time of the last change. */
  readonly changedAt: number
  /** The store's time of what is known; what is older changes nothing. */
  readonly sourceUpdatedAt: number
  /** When it was cleared or became an order; null while it is open. */
  readonly closedAt: number | null
  /** The content that was told as abandoned last. */
  readonly abandonedContent: number | null
  /** Grows by one with every write. */
  readonly version: number
}

/** How long a cart must not change to count as abandoned, milliseconds (public-api, Timeline events). */
export const quietMillis = 30 * 60_000

/** The most lines of a cart that are kept. */
export const maxCartLines = 50

/** Whether a cart can become abandoned as it is: open, with products and an address, and not told yet. */
export const mayBeAbandoned = (cart: Cart): boolean =>
  cart.closedAt === null &&
  cart.contactId !== null &&
  cart.lineCount > 0 &&
  cart.abandonedContent !== cart.content

/** When it counts as abandoned, if nothing changes until then. */
export const abandonedAt = (cart: Cart): number => cart.changedAt + quietMillis
