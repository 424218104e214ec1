/**
 * Submissions: one accepted email, with one delivery for each recipient.
 *
 * @module
 */
import type { LongText } from "./LongText.ts"
import type { Mailbox } from "../shared/Mailbox.ts"
import type { CampaignOrigin } from "./Campaign.ts"
import type { DeliveryReason, DeliveryStatus } from "./DeliveryStatus.ts"

/** The role of a recipient in the message. */
export type RecipientKind = "To" | "Cc" | "Bcc"

/** A submission to be stored. */
export interface NewSubmission extends Omit<Submission, "html" | "text"> {
  readonly html: LongText | null
  readonly text: LongText | null
}

/** What sent an email. */
export const emailSources = ["Api", "Smtp", "Flow", "Campaign", "System"] as const
export type EmailSource = (typeof emailSources)[number]

/** Names and values that a customer attaches to an email. */
export type Labels = Readonly<Record<string, string>>

/** An attached file, or an inline image that the html shows by `cid:`. */
export interface Attachment {
  readonly filename: string
  /** A media type, with parameters where it has any: `text/calendar; method=REQUEST`. Valid as RFC 2045, 5.1 has it. */
  readonly contentType: string
  /** Without angle brackets; null for a file that is not shown inline. */
  readonly contentId: string | null
  readonly content: Uint8Array
}

/** The filename of an attachment that is the whole body of its message: no file has it. */
const entityFilename = ""

/**
 * The body of a signed or encrypted message, as the attachment that stores it: a MIME entity (RFC 2045, 2.4), its content
 * header fields with CRLF line ends included.
 */
export const entityAttachment = (entity: Uint8Array): Attachment => ({
  filename: entityFilename,
  contentType: "message/rfc822",
  contentId: null,
  content: entity
})

/** The entity that is the body of a message, byte for byte; null for a message that is composed. */
export const entityOf = (attachments: ReadonlyArray<Attachment>): Uint8Array | null =>
  attachments.find(({ filename }) => filename === entityFilename)?.content ?? null

/** A header that the customer gave: `X-...`, In-Reply-To or References. */
export interface ExtraHeader {
  readonly name: string
  readonly value: string
}

/**
 * The header of a report of failed encryption, which is sent whatever the policy of the recipient's domain says (RFC 8460, 3;
 * RFC 8689, 5).
 */
export const tlsOptional: ExtraHeader = { name: "TLS-Required", value: "No" }

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
  /** How often sending it was attempted. */
  readonly attempts: number
  /** How often a sender claimed it. A sender's writes take effect only while its claim is the latest. */
  readonly claims: number
  /**
   * When the message's last byte may have left in the current claim; null before. A claim that ends without a reply after
   * this time makes the delivery Unknown, one that ends before makes it Queued again.
   */
  readonly committedAt: number | null
  readonly openedAt: number | null
  readonly clickedAt: number | null
  /** The lane that it was last held on (`Suspension`); null where it never was. */
  readonly lane: string | null
  /** What others that a lane holds are held for as well: its stream and its sending domain (`lineOf`); empty where it never was. */
  readonly line: string
  /** When it was first held; null where it never was. */
  readonly heldSince: number | null
  /** How long it waited without being due before `reason` (`notDueReasons`), milliseconds. */
  readonly notDue: number
  /** The key of the provider whose servers were last tried; null for another, and before. */
  readonly provider: string | null
  /**
   * Of a campaign's email, what it was when its last byte may have left, in a sandbox when it was accepted, as
   * `core/sending/templates/SentContent.ts: contentHash` makes it; null for any other, for one that was never sent, and where an
   * earlier version sent it.
   */
  readonly contentHash: string | null
  /** When its recipient complained about it; null where none did. */
  readonly complainedAt: number | null
  /** When its recipient unsubscribed by its link, or by one that names no email while this was the latest one; null before. */
  readonly unsubscribedAt: number | null
  /** When its recipient turned a topic off by its link; null before. */
  readonly topicOffAt: number | null
  readonly updatedAt: number
}

/** The contact and topic of a marketing email, whose consent is checked again before each attempt. */
export interface MarketingGate {
  readonly contactId: string
  /** The topic that the contact must have on; null for none. */
  readonly topicId: string | null
  /** The campaign that sent it, which has its content; absent for the emails of flows. */
  readonly campaign?: CampaignOrigin
}

/** The run of a flow that sent an email, or its campaign, which `marketing` names. */
export interface EmailOrigin {
  readonly flowId: string | null
  readonly runId: string | null
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
   * SHA-256 of the email's content, lower-case hex, which distinguishes a repeat from another message with the same
   * idempotency key; empty for an email without a key.
   */
  readonly contentDigest: string
  /** Null for the account's default sender at the time of sending. */
  readonly from: Mailbox | null
  readonly replyTo: Mailbox | null
  readonly subject: string
  readonly html: string | null
  /** Null for none; empty for html whose messages get no text either. */
  readonly text: string | null
  readonly headers: ReadonlyArray<ExtraHeader>
  /**
   * The language (BCP 47) of the document that its messages make of html, to which they add a text where that is null; null
   * where html and text are sent as they are.
   */
  readonly language: string | null
  /** Not sent before this time; null for at once. */
  readonly sendAt: number | null
  /** The template its content was rendered from. */
  readonly templateId: string | null
  /** The version of the template; null without one, and for an email of before versions were kept. */
  readonly templateVersion: number | null
  /** The flow and the run that sent it; null for an email without a flow. */
  readonly flowId: string | null
  readonly runId: string | null
  /** Null for a transactional email. */
  readonly marketing: MarketingGate | null
  /** Null for an email of before sources were kept: `emailSource` tells it. */
  readonly source: EmailSource | null
  /** The API key that sent it; null where none did, or an earlier version did not keep it. */
  readonly keyId: string | null
  readonly tags: Labels
  readonly metadata: Labels
  readonly trackOpens: boolean | null
  readonly trackClicks: boolean | null
  /** Whether the source is `System`, the installation itself writing to one of its users: it counts against no quota. */
  readonly isSystem: boolean
  /** The status that the first call returned, which a repeat returns again. */
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

/** What sent an email. */
export const emailSource = ({ flowId, source }: Pick<SubmissionContent, "flowId" | "source">): EmailSource =>
  source ?? (flowId === null ? "Api" : "Flow")

/** The html and text of an email. */
export type EmailBodies = Pick<Submission, "html" | "text">

/** What an email's messages contain, beside their headers. */
export type EmailContent = Pick<Submission, "html" | "text" | "attachments">

/** Bodies of at most this many bytes together are small: they are read with their submission. */
export const maxSmallBodies = 65_536

/** A submission without its attachments, and without bodies that are not small. */
export interface UnloadedSubmission extends Omit<Submission, "html" | "text" | "attachments"> {
  /** Null where they are larger than `maxSmallBodies`, or outside the database. */
  readonly bodies: EmailBodies | null
  /** The size of html and text together, about bytes. */
  readonly bodyBytes: number
  /** Of a campaign's email that was rendered, what its `Delivery.contentHash` would be now; absent for any other. */
  readonly contentHash?: string
  /** The total size of the attachments, bytes, an empty one counted as one; 0 without attachments. */
  readonly attachedBytes: number
  /** The names of links in the html that are not those of their URLs (`Visit.name`), by URL: of campaigns, as they are sent. */
  readonly linkNames?: ReadonlyMap<string, string>
}

/** A submission without its bodies, which are read for sending alone. */
export type SubmissionSummary = Omit<Submission, "html" | "text" | "attachments">

/** A submission as lists and responses read it. */
export const summaryOf = ({
  attachments: _attachments,
  html: _html,
  text: _text,
  ...summary
}: NewSubmission): SubmissionSummary => summary

/** What deliveries of an account have in common that decides whether a lane holds them: their stream and sending domain. */
export const lineOf = (isMarketing: boolean, sender: string): string =>
  `${isMarketing ? "marketing" : "transactional"} ${sender}`

/** The lines of a sending domain, in the order in which they are released; one that was held before it had a line has none. */
export const linesOf = (sender: string): ReadonlyArray<string> => [
  lineOf(false, sender),
  lineOf(true, sender),
  ""
]

/** The sending domain of a line; empty where it has none. */
export const senderOfLine = (line: string): string => line.slice(line.indexOf(" ") + 1)
