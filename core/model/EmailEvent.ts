/**
 * The email events about which webhooks are notified (docs/contributing/public-api.md "Webhooks about email").
 *
 * @module
 */

import type { VisitVerdict } from "./Visit.ts"

/** The kinds of email events. */
export const emailEventTypes = [
  "email.sent",
  "email.delivered",
  "email.bounced",
  "email.complained",
  "email.opened",
  "email.clicked"
] as const

/** The kind of an email event. */
export type EmailEventType = (typeof emailEventTypes)[number]

/** An event of a delivery; each kind occurs at most once. */
export interface EmailEvent {
  readonly accountId: string
  readonly deliveryId: string
  readonly submissionId: string
  readonly type: EmailEventType
  /** The recipient's address, normalized. */
  readonly email: string
  /** The link of email.clicked; null for other events. */
  readonly url: string | null
  /** Who opened or clicked, as far as the visit shows; null for other events. */
  readonly visitor: VisitVerdict | null
  /** The reason of email.bounced and email.complained; null for other events. */
  readonly reason: string | null
  /** Epoch milliseconds. */
  readonly at: number
}
