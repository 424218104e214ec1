/**
 * The changes that connected stores report, in one form for all platforms.
 *
 * @module
 */
import type { ConsentProof } from "../../model/Consent.ts"
import type { ItemWrite } from "../../catalog/ItemWrite.ts"
import type { OrderLine, OrderStatus } from "../../model/Order.ts"

/** The marketing consent of a person, as a store reports it. */
export interface Marketing {
  /** `Declined` is an unticked checkbox: no consent, which does not revoke one given elsewhere. */
  readonly state: "Subscribed" | "Declined" | "Unsubscribed"
  /** The text that was agreed to, if reported. */
  readonly proof: ConsentProof | null
  /** When the person made the choice, if reported; epoch milliseconds. */
  readonly at: number | null
}

/** Profile fields; null if the store has no value. */
export interface StoreProfile {
  readonly firstName: string | null
  readonly lastName: string | null
  readonly phone: string | null
  readonly city: string | null
  readonly countryCode: string | null
  readonly language: string | null
}

/** A person as a store reports them. */
export interface Person {
  /** The store's id of the customer. */
  readonly customerId: string | null
  /** Normalized. */
  readonly email: string | null
  readonly profile: StoreProfile
  /** The person's tags; null if the store reports none. */
  readonly tags: ReadonlyArray<string> | null
  /** When the store added the person, epoch milliseconds. */
  readonly createdAt: number | null
  readonly marketing: Marketing | null
}

/** An order as a store reports it. */
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
  readonly lines: ReadonlyArray<OrderLine>
  /** The ids of the carts it was placed from. */
  readonly cartIds: ReadonlyArray<string>
}

/** A cart as a store reports it. */
export interface CartFacts {
  readonly externalId: string
  readonly currency: string | null
  readonly total: string
  readonly lineCount: number
  readonly lines: ReadonlyArray<OrderLine>
  readonly url: string | null
  /** The ids of the carts it replaces. */
  readonly replaces: ReadonlyArray<string>
}

/** A change in a store; `at` is its timestamp there, epoch milliseconds. */
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
      /** The person; null if the store names none, and the cart then keeps its contact. */
      readonly person: Person | null
    }
  | { readonly _tag: "CartCleared"; readonly at: number; readonly externalId: string }
  | { readonly _tag: "Erasure"; readonly at: number; readonly person: Person }
  /** A person asked the store for the data it has about them. */
  | { readonly _tag: "DataRequest"; readonly at: number; readonly person: Person; readonly request: string }
  /** All data of the store must be erased. */
  | { readonly _tag: "StoreErasure"; readonly at: number }
  | { readonly _tag: "Product"; readonly at: number; readonly item: ItemWrite & { readonly id: string } }
  | { readonly _tag: "ProductRemoved"; readonly at: number; readonly externalId: string }
  | { readonly _tag: "Uninstalled"; readonly at: number }

/** A person without any data. */
export const unknownPerson: Person = {
  customerId: null,
  email: null,
  profile: { firstName: null, lastName: null, phone: null, city: null, countryCode: null, language: null },
  tags: null,
  createdAt: null,
  marketing: null
}

/** Whether a person can be identified. */
export const isIdentified = (person: Person): boolean => person.customerId !== null || person.email !== null
