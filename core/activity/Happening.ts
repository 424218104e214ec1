/**
 * Something that happened to a known person, on its way to the timeline and to the flows that wait for it.
 *
 * @module
 */
import type { Json } from "../shared/Json.ts"

/** Where a happening comes from: the customer's systems, a connected store, or the service itself. */
export type HappeningSource = "Api" | "Store" | "Service"

/** Something that happened to a contact. */
export interface Happening {
  readonly accountId: string
  readonly contactId: string
  /** Also the id of its entry on the timeline, which has each once. */
  readonly id: string
  /** Such as `user.signed_up` or `order.paid`. */
  readonly name: string
  readonly properties: Readonly<Record<string, Json>>
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly source: HappeningSource
}
