/**
 * Submissions: each is one accepted email, with one delivery for each recipient.
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

/** The kinds of senders of emails. */
export const emailSources = ["Api", "Smtp", "Flow", "Campaign", "System"] as const
export type EmailSource = (typeof emailSources)[number]

/** Names and values that a customer attaches to an email. */
export type Labels = Readonly<Record<string, string>>

/** An attached file, or an inline image that the html references by `cid:`. */
export interface Attachment {
  readonly filename: string
  /** A media type, with parameters if it has any, such as `text/calendar; method=REQUEST`. Valid by RFC 2045, 5.1. */
  readonly contentType: string
  /** The Content-ID without angle brackets; null for a file that is not inline. */
  readonly contentId: string | null
  readonly content: Uint8Array
}

/** The filename that marks an attachment as the whole body of its message; no real file has it. */
const entityFilename = ""

/**
 * The attachment that stores the body of a signed or encrypted message: a MIME entity (RFC 2045, 2.4) including its content
 * header fields, with CRLF line ends.
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
 * The header of a report of failed encryption, which is sent regardless of the recipient domain's policy (RFC 8460, 3; RFC 8689,
 * 5).
 */
export const tlsOptional: ExtraHeader = { name: "TLS-Required", value: "No" }

/** The delivery to one recipient. All times are epoch milliseconds. */
export interface Delivery {
  /** Its id, which delivery webhooks call `message_id`. For a single recipient it equals the submission's id. */
  readonly id: string
  readonly submissionId: string
  readonly accountId: string
  /** The normalized address; empty once retention removed the recipient's personal data. */
  readonly email: string
  readonly name: string | null
  readonly kind: RecipientKind
  readonly status: DeliveryStatus
  readonly reason: DeliveryReason | null
  /** The number of attempts to send it. */
  readonly attempts: number
  /** The number of claims by senders. A sender's writes take effect only while its claim is the latest. */
  readonly claims: number
  /**
   * When the message's last byte may have been sent in the current claim; null before. If a claim ends without a reply after this
   * time, the delivery becomes Unknown; if it ends before, Queued again.
   */
  readonly committedAt: number | null
  readonly openedAt: number | null
  readonly clickedAt: number | null
  /** The lane that last held it (`Suspension`); null if none did. */
  readonly lane: string | null
  /** Its line: the stream and sending domain by which a lane holds deliveries together (`lineOf`); empty if it was never held. */
  readonly line: string
  /** When it was first held; null if never. */
  readonly heldSince: number | null
  /** How long it waited for earlier `notDueReasons`, before the current `reason`, milliseconds. */
  readonly notDue: number
  /**
   * The key of the provider whose servers were last tried; null for a provider not in the table, and before the first attempt.
   */
  readonly provider: string | null
  /**
   * For a campaign's email, the hash that `core/sending/templates/SentContent.ts: contentHash` makes of it when its last byte may
   * have been sent, or, in a sandbox, when it was accepted. Null for any other email, for one that was never sent, and for one
   * that an earlier version sent.
   */
  readonly contentHash: string | null
  /** When its recipient complained about it; null if they did not. */
  readonly complainedAt: number | null
  /**
   * When its recipient unsubscribed by its link, or by a link that names no email while this was their latest email; null before.
   */
  readonly unsubscribedAt: number | null
  /** When its recipient turned a topic off by its link; null before. */
  readonly topicOffAt: number | null
  readonly updatedAt: number
}

/** The contact and topic of a marketing email. Their consent is checked again before each attempt. */
export interface MarketingGate {
  readonly contactId: string
  /** The topic that the contact must have on; null for none. */
  readonly topicId: string | null
  /** The campaign that sent the email and has its content; absent for emails of flows. */
  readonly campaign?: CampaignOrigin
}

/** What sent an email: a flow run, or a campaign, which `marketing` names. */
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
   * SHA-256 of the email's content, lower-case hex, which distinguishes a repeat from another message with the same idempotency
   * key; empty for an email without a key.
   */
  readonly contentDigest: string
  /** The sender; null for the account's default sender at the time of sending. */
  readonly from: Mailbox | null
  readonly replyTo: Mailbox | null
  readonly subject: string
  readonly html: string | null
  /** Null for none. Empty for an email with html to which no text may be added. */
  readonly text: string | null
  readonly headers: ReadonlyArray<ExtraHeader>
  /**
   * The language (BCP 47) of the document to which html is completed when messages are composed; a missing text is then added
   * too. Null if html and text are sent unchanged.
   */
  readonly language: string | null
  /** The email is not sent before this time; null for at once. */
  readonly sendAt: number | null
  /** The template from which its content was rendered. */
  readonly templateId: string | null
  /** The version of the template; null without one, and for emails from before versions were stored. */
  readonly templateVersion: number | null
  /** The flow, and its run, that sent the email; null for an email without a flow. */
  readonly flowId: string | null
  readonly runId: string | null
  /** Null for a transactional email. */
  readonly marketing: MarketingGate | null
  /** What sent the email; null if that was before sources were stored: then `emailSource` derives it. */
  readonly source: EmailSource | null
  /** The API key that sent it; null if none did, or if an earlier version did not store it. */
  readonly keyId: string | null
  readonly tags: Labels
  readonly metadata: Labels
  readonly trackOpens: boolean | null
  readonly trackClicks: boolean | null
  /** Whether the source is `System`: the installation itself writes to one of its users. Such email counts against no quota. */
  readonly isSystem: boolean
  /** The status that the first call returned, which a repeated call returns again. */
  readonly acceptedStatus: "Queued" | "Suppressed"
  readonly acceptedReason: DeliveryReason | null
  /** When retention erased subject, html, text, headers, attachments, tags and metadata; null before. */
  readonly contentErasedAt: number | null
  readonly createdAt: number
}

/** An accepted email, with a delivery for each recipient. */
export interface Submission extends SubmissionContent {
  readonly attachments: ReadonlyArray<Attachment>
  /** In the order in which the recipients were given. */
  readonly deliveries: ReadonlyArray<Delivery>
}

/** What sent an email, derived for emails from before sources were stored. */
export const emailSource = ({ flowId, source }: Pick<SubmissionContent, "flowId" | "source">): EmailSource =>
  source ?? (flowId === null ? "Api" : "Flow")

/** The html and text of an email. */
export type EmailBodies = Pick<Submission, "html" | "text">

/** The content of an email's messages, without headers. */
export type EmailContent = Pick<Submission, "html" | "text" | "attachments">

/** Bodies of at most this many bytes in total are small and are read together with their submission. */
export const maxSmallBodies = 65_536

/** A submission without its attachments, and without bodies that are not small. */
export interface UnloadedSubmission extends Omit<Submission, "html" | "text" | "attachments"> {
  /** The bodies; null if they are larger than `maxSmallBodies`, or stored outside the database. */
  readonly bodies: EmailBodies | null
  /** The approximate size of html and text together, bytes. */
  readonly bodyBytes: number
  /** For a rendered email of a campaign, what its `Delivery.contentHash` would be now; absent for any other. */
  readonly contentHash?: string
  /** The total size of the attachments, bytes, where an empty one counts as one; 0 without attachments. */
  readonly attachedBytes: number
  /** By URL, the names (`Visit.name`) of links in the html that are not derived from their URL. For campaigns, when sent. */
  readonly linkNames?: ReadonlyMap<string, string>
}

/** A submission without its bodies, which are read only for sending. */
export type SubmissionSummary = Omit<Submission, "html" | "text" | "attachments">

/** A submission in the form that lists and responses read. */
export const summaryOf = ({
  attachments: _attachments,
  html: _html,
  text: _text,
  ...summary
}: NewSubmission): SubmissionSummary => summary

/** The line of an email: its stream and sending domain, by which a lane holds an account's deliveries together. */
export const lineOf = (isMarketing: boolean, sender: string): string =>
  `${isMarketing ? "marketing" : "transactional"} ${sender}`

/** The lines of a sending domain, in the order of their release. The line is empty for deliveries held by an earlier version. */
export const linesOf = (sender: string): ReadonlyArray<string> => [
  lineOf(false, sender),
  lineOf(true, sender),
  ""
]

/** The sending domain of a line; empty if it has none. */
export const senderOfLine = (line: string): string => line.slice(line.indexOf(" ") + 1)
