/**
 * Requests to addresses that customers choose, with the checks of those addresses.
 *
 * @module
 */
export * as AddressGuard from "./AddressGuard.ts"
export * as SnsClient from "./SnsClient.ts"
export * as WebhookClient from "./WebhookClient.ts"
