/**
 * A submission: one email handed to the service, with one delivery for each recipient.
 *
 * @module
 */
import type { Mailbox } from "../shared/Mailbox.ts"
import type { DeliveryReason, DeliveryStatus } from "./DeliveryStatus.ts"

/** The role of a recipient in the message. */
export type RecipientKind = "To" | "Cc" | "Bcc"

/** Names and values a customer attaches to an email. */
export type Labels = Readonly<Record<string, string>>

/** A file an email carries, or an inline image its html shows by `cid:`. */
export interface Attachment {
  readonly filename: string
  /** A media type without parameters, such as `application/pdf`. */
  readonly contentType: string
  /** Without angle brackets; null for a file that is not shown inline. */
  readonly contentId: string | null
  readonly content: Uint8Array
}

/** A header the customer gave: `X-...`, In-Reply-To or References. */
export interface ExtraHeader {
  readonly name: string
  readonly value: string
}

/** One recipient's delivery. All times are epoch milliseconds. */
export interface Delivery {
  /** Also the `message_id` of delivery webhooks; for a single recipient the submission's id. */
  readonly id: string
  readonly submissionId: string
  readonly accountId: string
  /** Normalized; empty once retention removed the recipient's personal data. */
  readonly email: string
  readonly name: string | null
  readonly kind: RecipientKind
  readonly status: DeliveryStatus
  readonly reason: DeliveryReason | null
  /** Attempts made to hand it over. */
  readonly attempts: number
  /** How often a sender claimed it. A sender's writes count only while this is still its own claim. */
  readonly claims: number
  /**
   * When the message's last byte may have left in the present claim; null before. A claim that ends without an answer
   * after this moment makes the delivery Unknown, one that ends before makes it Queued again.
   */
  readonly committedAt: number | null
  readonly openedAt: number | null
  readonly clickedAt: number | null
  readonly updatedAt: number
}

/** Whom marketing is for: asked again at each turn to send, since the person may have decided otherwise. */
export interface MarketingGate {
  readonly contactId: string
  /** The topic the person must have on; null for none. */
  readonly topicId: string | null
}

/** The run of a flow that sent an email. */
export interface EmailOrigin {
  readonly flowId: string
  readonly runId: string
  /** Null for a transactional email. */
  readonly marketing: MarketingGate | null
}

/** A submission without its deliveries and attachments. */
export interface SubmissionContent {
  readonly id: string
  readonly accountId: string
  /** Unique in the account. */
  readonly idempotencyKey: string | null
  /**
   * SHA-256 of what the email says, lower-case hex, so that a relay can tell a repeat from another message with the same
   * key; empty for an email without one.
   */
  readonly contentDigest: string
  /** Null for the account's default sender, taken when the email leaves. */
  readonly from: Mailbox | null
  readonly replyTo: Mailbox | null
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly headers: ReadonlyArray<ExtraHeader>
  /** Not before this time; null for at once. */
  readonly sendAt: number | null
  /** The template its content was rendered from. */
  readonly templateId: string | null
  /** The flow and the run that sent it; null for an email that was handed over by itself. */
  readonly flowId: string | null
  readonly runId: string | null
  /** Null for a transactional email. */
  readonly marketing: MarketingGate | null
  readonly tags: Labels
  readonly metadata: Labels
  readonly trackOpens: boolean | null
  readonly trackClicks: boolean | null
  /** What the call that made it was answered, so that a repeat is answered the same. */
  readonly acceptedStatus: "Queued" | "Suppressed"
  readonly acceptedReason: DeliveryReason | null
  /** When retention erased subject, html, text, headers, attachments, tags and metadata; null before. */
  readonly contentErasedAt: number | null
  readonly createdAt: number
}

/** An email that was accepted, with a delivery for each recipient. */
export interface Submission extends SubmissionContent {
  readonly attachments: ReadonlyArray<Attachment>
  /** In the order the recipients were given. */
  readonly deliveries: ReadonlyArray<Delivery>
}

/** A submission whose attachments are not loaded; only how many bytes they are together is known. */
export type UnloadedSubmission = Omit<Submission, "attachments"> & { readonly attachedBytes: number }

/** A submission without its bodies, which only sending needs: they are read no more often than that. */
export type SubmissionSummary = Omit<Submission, "html" | "text" | "attachments">

/** A submission as those see it who do not send it. */
export const summaryOf = ({
  attachments: _attachments,
  html: _html,
  text: _text,
  ...summary
}: Submission): SubmissionSummary => summary
