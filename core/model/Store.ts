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

/** Whether a store is connected. */
export const storeStatuses = ["Connected", "Disconnected"] as const

/** Whether a store is connected. */
export type StoreStatus = (typeof storeStatuses)[number]

/** A connected store. Times are epoch milliseconds. */
export interface Store {
  readonly id: string
  readonly accountId: string
  readonly platform: Platform
  readonly name: string
  /** Normalized; unique in the account with the platform. */
  readonly domain: string
  /** The effect of a checkout on consent. */
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
  /** When it was disconnected; null while connected. A disconnected store keeps its orders and customers. */
  readonly disconnectedAt: number | null
}

/** Whether a store is connected. */
export const statusOfStore = ({ disconnectedAt }: Pick<Store, "disconnectedAt">): StoreStatus =>
  disconnectedAt === null ? "Connected" : "Disconnected"

/** The most stores of an account, including disconnected ones. */
export const maxStores = 100

/** The purpose with which SecretBox seals the secret of a store's webhooks, so that none can be replaced by another. */
export const storePurpose = (storeId: string): string => `store ${storeId}`
