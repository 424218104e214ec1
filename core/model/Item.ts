/**
 * Items of the catalogue.
 *
 * @module
 */

/** The kinds of items (docs/contributing/public-api.md "Catalogue item"). */
export const itemKinds = ["product", "plan", "service", "other"] as const

/** The kind of an item. */
export type ItemKind = (typeof itemKinds)[number]

/** The sources of items: the customer's own systems, or the platform of a connected store. */
export const itemSources = ["Api", "Custom", "Shopify", "WooCommerce"] as const

/** The source of an item. */
export type ItemSource = (typeof itemSources)[number]

/** A custom value of an item. */
export type ItemAttribute = string | number | boolean | ReadonlyArray<string>

/** The owner of an item. External ids are unique per owner. */
export interface ItemOwner {
  /** The connected store; null for the customer's own systems. */
  readonly storeId: string | null
  readonly source: ItemSource
}

/** The owner of items of the customer's own systems: the only ones that the public API writes, reads and deletes. */
export const ownItems: ItemOwner = { storeId: null, source: "Api" }

/** An item. Times are epoch milliseconds, prices exact decimals in plain notation. */
export interface Item extends ItemOwner {
  readonly id: string
  /** The owner's id of the item, unique among the owner's items. */
  readonly externalId: string
  readonly kind: ItemKind
  readonly name: string
  readonly description: string | null
  readonly url: string | null
  readonly imageUrl: string | null
  readonly price: string | null
  readonly comparePrice: string | null
  /** ISO 4217; set if the item has a price. */
  readonly currency: string | null
  readonly inStock: boolean
  readonly stockQuantity: number | null
  readonly categories: ReadonlyArray<string>
  readonly attributes: Readonly<Record<string, ItemAttribute>>
  /** Whether the item can be recommended. */
  readonly active: boolean
  readonly createdAt: number
  /** When it was last changed; null if never. */
  readonly updatedAt: number | null
  /** Increases by one with every change. */
  readonly version: number
}

/** The most items in an account's catalogue, including those of stores. */
export const maxItems = 100_000

/** The most items in a list of recommendations. */
export const maxRecommended = 10

/** A new item before its write is applied: an active product, in stock. */
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
