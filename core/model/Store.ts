/**
 * Connected stores: shops that report their customers, carts, orders and products.
 *
 * @module
 */
import type { StoreConsentMode } from "./Contact.ts"

/** The platform of a store. */
export const platforms = ["Custom", "Shopify", "WooCommerce"] as const

/** The platform of a store. */
export type Platform = (typeof platforms)[number]

/** How stores can inform their customers about marketing. */
export const consentModes = [
  "Explicit",
  "Notice",
  "OwnConsent",
  "None"
] as const satisfies ReadonlyArray<StoreConsentMode>

/** What a store's connection is. */
export const storeStatuses = ["Connected", "Disconnected"] as const

/** What a store's connection is. */
export type StoreStatus = (typeof storeStatuses)[number]

/** A connected store. Times are epoch milliseconds. */
export interface Store {
  readonly id: string
  readonly accountId: string
  readonly platform: Platform
  readonly name: string
  /** Normalized; unique in the account with the platform. */
  readonly domain: string
  /** What a checkout means for consent. */
  readonly consentMode: StoreConsentMode
  /** ISO 4217, for prices of products without a currency; null for none. */
  readonly currency: string | null
  /** SHA-256 of the token, hex. */
  readonly tokenHash: string
  /** The part of the token that may be shown. */
  readonly tokenDisplay: string
  /** The secret of the platform's webhooks, sealed. */
  readonly webhookSecret: string
  readonly connectedAt: number
  /** Null while it is connected. A disconnected store keeps its orders and customers. */
  readonly disconnectedAt: number | null
}

/** What the connection of a store is. */
export const statusOfStore = ({ disconnectedAt }: Pick<Store, "disconnectedAt">): StoreStatus =>
  disconnectedAt === null ? "Connected" : "Disconnected"

/** The most stores of an account, disconnected ones included. */
export const maxStores = 100

/** The purpose with which SecretBox seals the secret of a store's webhooks, so that none can replace another's. */
export const storePurpose = (storeId: string): string => `store ${storeId}`
