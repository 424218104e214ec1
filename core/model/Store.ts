/**
 * Connected stores: shops whose customers, carts, orders and products the service is told of.
 *
 * @module
 */
import type { StoreConsentMode } from "./Contact.ts"

/** What a store runs on. */
export const platforms = ["Custom", "Shopify", "WooCommerce"] as const

/** What a store runs on. */
export type Platform = (typeof platforms)[number]

/** How stores can tell their customers about marketing. */
export const consentModes = [
  "Explicit",
  "Notice",
  "OwnConsent",
  "None"
] as const satisfies ReadonlyArray<StoreConsentMode>

/** A connected store. Times are epoch milliseconds. */
export interface Store {
  readonly id: string
  readonly accountId: string
  readonly platform: Platform
  readonly name: string
  /** Normalized; with the platform unique in the account. */
  readonly domain: string
  /** What a checkout means for consent. */
  readonly consentMode: StoreConsentMode
  /** ISO 4217, of the prices of products that name none; null where it is not known. */
  readonly currency: string | null
  /** SHA-256 of the token, hex. */
  readonly tokenHash: string
  /** What may be shown of the token. */
  readonly tokenDisplay: string
  /** The secret of the platform's webhooks, sealed. */
  readonly webhookSecret: string
  readonly connectedAt: number
  /** Null while it is connected. Its orders and customers stay. */
  readonly disconnectedAt: number | null
}

/** The most stores of an account, disconnected ones counted. */
export const maxStores = 100
