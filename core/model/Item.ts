/**
 * Items of the catalogue.
 *
 * @module
 */

/** What an item may be (public-api "Catalogue item"). */
export const itemKinds = ["product", "plan", "service", "other"] as const

/** What an item is. */
export type ItemKind = (typeof itemKinds)[number]

/** Where items come from: the customer's own systems, or the platform of a connected store. */
export const itemSources = ["Api", "Custom", "Shopify", "WooCommerce"] as const

/** Where an item comes from. */
export type ItemSource = (typeof itemSources)[number]

/** A custom value of an item. */
export type ItemAttribute = string | number | boolean | ReadonlyArray<string>

/** Whose items a write is about. Ids of one owner say nothing about another's. */
export interface ItemOwner {
  /** The connected store; null for the customer's own systems. */
  readonly storeId: string | null
  readonly source: ItemSource
}

/** The customer's own systems: the only owner the public API writes, reads and deletes for. */
export const ownItems: ItemOwner = { storeId: null, source: "Api" }

/** An item. Times are epoch milliseconds, prices exact decimals in plain notation. */
export interface Item extends ItemOwner {
  readonly id: string
  /** The owner's id, unique among the owner's items. */
  readonly externalId: string
  readonly kind: ItemKind
  readonly name: string
  readonly description: string | null
  readonly url: string | null
  readonly imageUrl: string | null
  readonly price: string | null
  readonly comparePrice: string | null
  /** ISO 4217; there when a price is. */
  readonly currency: string | null
  readonly inStock: boolean
  readonly stockQuantity: number | null
  readonly categories: ReadonlyArray<string>
  readonly attributes: Readonly<Record<string, ItemAttribute>>
  /** False for an item that is kept and not recommended. */
  readonly active: boolean
  readonly createdAt: number
  /** Null for one that was never changed. */
  readonly updatedAt: number | null
  /** Grows by one with every change. */
  readonly version: number
}

/** The most items a catalogue holds, those of stores counted. */
export const maxItems = 100_000

/** The most items of one list to recommend. */
export const maxRecommended = 10

/** An item that is new, before its write is applied: a product, in stock, active. */
export const newItem = (owner: ItemOwner, id: string, externalId: string, createdAt: number): Item => ({
  id,
  storeId: owner.storeId,
  source: owner.source,
  externalId,
  kind: "product",
  name: "",
  description: null,
  url: null,
  imageUrl: null,
  price: null,
  comparePrice: null,
  currency: null,
  inStock: true,
  stockQuantity: null,
  categories: [],
  attributes: {},
  active: true,
  createdAt,
  updatedAt: null,
  version: 1
})
