/**
 * Conversions: orders attributed to a click in an email (docs/contributing/decisions.md 4 "Conversions").
 *
 * @module
 */

/** The name of the timeline event of a conversion, which only the service uses. */
export const conversionEvent = "conversion.attributed"

/** An order of a contact, attributed to a click. Times are epoch milliseconds. */
export interface Conversion {
  /** Also the id of its timeline entry. */
  readonly id: string
  readonly contactId: string
  /** At most one conversion of a contact names an order. */
  readonly orderId: string
  /** The flow whose email was clicked; null for that of a campaign. */
  readonly flowId: string | null
  /** The campaign whose email was clicked; null for that of a flow. */
  readonly campaignId: string | null
  readonly deliveryId: string
  readonly clickedAt: number
  /** When the order was placed. */
  readonly orderedAt: number
}
