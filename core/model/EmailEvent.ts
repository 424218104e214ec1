/**
 * What happens to an email, as customers are told of it (public-api, Webhooks about email).
 *
 * @module
 */

/** The kinds of contactEvents. */
export const emailEventTypes = [
  "email.sent",
  "email.delivered",
  "email.bounced",
  "email.complained",
  "email.opened",
  "email.clicked"
] as const

/** The kind of a contactEvent. */
export type EmailEventType = (typeof emailEventTypes)[number]

/** Something that happened to a delivery; of each kind at most once. */
export interface EmailEvent {
  readonly accountId: string
  readonly deliveryId: string
  readonly submissionId: string
  readonly type: EmailEventType
  /** The recipient's address, normalized. */
  readonly email: string
  /** The link, of email.clicked. */
  readonly url: string | null
  /** Why, of email.bounced and email.complained. */
  readonly reason: string | null
  /** Epoch milliseconds. */
  readonly at: number
}
