/**
 * A submission: one email handed to the service, with one delivery for each recipient.
 *
 * @module
 */
import type { Sender } from "../accounts/Account.ts"
import type { DeliveryReason, DeliveryStatus } from "./DeliveryStatus.ts"

/** The role of a recipient in the message. */
export type RecipientKind = "To" | "Cc" | "Bcc"

/** Names and values a customer attaches to an email. */
export type Labels = Readonly<Record<string, string>>

/** One recipient's delivery. All times are epoch milliseconds. */
export interface Delivery {
  /** Also the `message_id` of delivery webhooks; for a single recipient the submission's id. */
  readonly id: string
  readonly submissionId: string
  readonly accountId: string
  /** Normalized. */
  readonly email: string
  readonly name: string | null
  readonly kind: RecipientKind
  readonly status: DeliveryStatus
  readonly reason: DeliveryReason | null
  /** Attempts made to hand it over. */
  readonly attempts: number
  readonly updatedAt: number
}

/** A submission without its deliveries. */
export interface SubmissionContent {
  readonly id: string
  readonly accountId: string
  /** Unique in the account. */
  readonly idempotencyKey: string | null
  /** Null for the account's default sender, taken when the email leaves. */
  readonly from: Sender | null
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly tags: Labels
  readonly metadata: Labels
  readonly trackOpens: boolean | null
  readonly trackClicks: boolean | null
  /** What the call that made it was answered, so that a repeat is answered the same. */
  readonly acceptedStatus: "Queued" | "Suppressed"
  readonly acceptedReason: DeliveryReason | null
  readonly createdAt: number
}

/** An email that was accepted, with a delivery for each recipient. */
export interface Submission extends SubmissionContent {
  /** In the order the recipients were given. */
  readonly deliveries: ReadonlyArray<Delivery>
}

/** A submission without its bodies, which only sending needs: they are read no more often than that. */
export type SubmissionSummary = Omit<Submission, "html" | "text">

/** A submission as those see it who do not send it. */
export const summaryOf = ({ html: _html, text: _text, ...summary }: Submission): SubmissionSummary => summary
