/**
 * What stores tell, the same for every platform: what the mappers of each make, and what the sync takes.
 *
 * @module
 */
import type { ConsentProof } from "../../model/Consent.ts"
import type { ItemWrite } from "../../catalog/ItemWrite.ts"
import type { CartLine } from "../../model/Cart.ts"
import type { OrderStatus } from "../../model/Order.ts"

/** What a store says of a person's marketing consent. */
export interface Marketing {
  /** `Declined` is a box left empty: no consent, and no withdrawal of one given elsewhere. */
  readonly state: "Subscribed" | "Declined" | "Unsubscribed"
  /** What was agreed to, where the store tells. */
  readonly proof: ConsentProof | null
  /** When the person said so, where the store tells; epoch milliseconds. */
  readonly at: number | null
}

/** Profile fields a store knows; null where it does not. */
export interface StoreProfile {
  readonly firstName: string | null
  readonly lastName: string | null
  readonly phone: string | null
  readonly city: string | null
  readonly countryCode: string | null
  readonly language: string | null
}

/** Somebody a store tells of. */
export interface Person {
  /** The store's id of the customer. */
  readonly customerId: string | null
  /** Normalized. */
  readonly email: string | null
  readonly profile: StoreProfile
  /** Null where the store tells none. */
  readonly tags: ReadonlyArray<string> | null
  /** When the store came to know the person, epoch milliseconds. */
  readonly createdAt: number | null
  readonly marketing: Marketing | null
}

/** An order as a store tells of it. */
export interface OrderFacts {
  readonly externalId: string
  readonly number: string | null
  readonly status: OrderStatus
  readonly currency: string
  readonly total: string
  readonly customerName: string | null
  readonly placedAt: number
  readonly paidAt: number | null
  readonly lineCount: number
  /** The carts it was made from. */
  readonly cartIds: ReadonlyArray<string>
}

/** A cart as a store tells of it. */
export interface CartFacts {
  readonly externalId: string
  readonly currency: string | null
  readonly total: string
  readonly lineCount: number
  readonly lines: ReadonlyArray<CartLine>
  readonly url: string | null
  /** The carts whose place it takes. */
  readonly replaces: ReadonlyArray<string>
}

/** One thing a store tells; `at` is the store's time of it, epoch milliseconds. */
export type StoreChange =
  | { readonly _tag: "Order"; readonly at: number; readonly order: OrderFacts; readonly person: Person }
  | { readonly _tag: "OrderRemoved"; readonly at: number; readonly externalId: string }
  | { readonly _tag: "Customer"; readonly at: number; readonly person: Person }
  | {
      readonly _tag: "Identified"
      readonly at: number
      readonly person: Person
      readonly cartId: string | null
    }
  | { readonly _tag: "Subscriber"; readonly at: number; readonly person: Person }
  | {
      readonly _tag: "Cart"
      readonly at: number
      readonly cart: CartFacts
      /** Null where the store tells nobody: the cart stays whose it is. */
      readonly person: Person | null
    }
  | { readonly _tag: "CartCleared"; readonly at: number; readonly externalId: string }
  | { readonly _tag: "Erasure"; readonly at: number; readonly person: Person }
  /** Somebody asked the store what is held of them. */
  | { readonly _tag: "DataRequest"; readonly at: number; readonly person: Person; readonly request: string }
  /** All that came from the store is to go. */
  | { readonly _tag: "StoreErasure"; readonly at: number }
  | { readonly _tag: "Product"; readonly at: number; readonly item: ItemWrite & { readonly id: string } }
  | { readonly _tag: "ProductRemoved"; readonly at: number; readonly externalId: string }
  | { readonly _tag: "Uninstalled"; readonly at: number }

/** A person of whom nothing is known. */
export const nobody: Person = {
  customerId: null,
  email: null,
  profile: { firstName: null, lastName: null, phone: null, city: null, countryCode: null, language: null },
  tags: null,
  createdAt: null,
  marketing: null
}
