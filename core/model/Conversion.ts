/**
 * Conversions: orders attributed to a click in an email (docs/contributing/decisions.md 4 "Conversions").
 *
 * @module
 */

/** The name of the timeline event of a conversion; only the service uses it. */
export const conversionEvent = "conversion.attributed"

/** An order of a contact, attributed to a click. Times are epoch milliseconds. */
export interface Conversion {
  /** The id, also of its timeline entry. */
  readonly id: string
  readonly contactId: string
  /** The order. A contact has at most one conversion for an order. */
  readonly orderId: string
  /** The flow whose email was clicked; null if it was a campaign's. */
  readonly flowId: string | null
  /** The campaign whose email was clicked; null if it was a flow's. */
  readonly campaignId: string | null
  readonly deliveryId: string
  readonly clickedAt: number
  /** When the order was placed. */
  readonly orderedAt: number
}
