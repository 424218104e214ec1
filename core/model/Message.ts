/**
 * A message on its way: what it is composed of, what a transport carries, and what became of it.
 *
 * @module
 */
import type { Mailbox } from "../shared/Mailbox.ts"
import type { SigningKey } from "./Domain.ts"
import type { Attachment, ExtraHeader } from "./Submission.ts"

/** What a message is composed of. Bcc recipients are not part of it: nobody may see them. */
export interface MessageDraft {
  readonly from: Mailbox
  readonly replyTo: Mailbox | null
  readonly to: ReadonlyArray<Mailbox>
  readonly cc: ReadonlyArray<Mailbox>
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly attachments: ReadonlyArray<Attachment>
  readonly headers: ReadonlyArray<ExtraHeader>
  /** Without angle brackets. */
  readonly messageId: string
  /** Epoch milliseconds. */
  readonly date: number
  /** The keys it is signed with (DKIM, relaxed/relaxed); none for a message that is not signed. */
  readonly signWith: ReadonlyArray<SigningKey>
}

/** A message with the envelope of one recipient. */
export interface OutboundMessage {
  readonly deliveryId: string
  readonly submissionId: string
  readonly accountId: string
  /** The envelope's sender: where reports of it go. */
  readonly returnPath: string
  /** The envelope's recipient. */
  readonly recipient: string
  readonly from: Mailbox
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  /** The whole message, RFC 5322, signed. */
  readonly raw: Uint8Array
  /** Attempts made before this one. */
  readonly attempts: number
}

/** The conversation of one attempt, for the operator. */
export interface Conversation {
  /** The server's name and address; null when none was reached. */
  readonly host: string | null
  /** The protocol of the encryption, such as `TLSv1.3`; null without. */
  readonly tls: string | null
  /** The server's last replies, oldest first: at most 20, each at most 500 characters. */
  readonly replies: ReadonlyArray<string>
  /** Why there was no conversation, or why it broke: a word such as `timeout` or `no_mx`; null when it ended well. */
  readonly error: string | null
}

/**
 * What became of handing a message over.
 *
 * - `Delivered`: the recipient's own server took it. `Complained` is that with a complaint after it, which only the
 *   sandbox can know at once.
 * - `Accepted`: a relay took it and reports later. `Sent`: a relay took it and never reports.
 * - `Deferred`: refused for the time being, or nobody reached. `retryAfter` is the wait the server stated,
 *   milliseconds.
 * - `Bounced`: the address is refused for good. `Refused`: the message, its sender or a policy is.
 * - `Unknown`: the connection broke after the last byte and before the answer.
 * - `Busy`: not tried, since as much as may be is under way to that destination; may be tried from `at` on.
 * - `Withdrawn`: not sent, since the point of no return was refused: another sender has the delivery.
 */
export type Outcome =
  | { readonly _tag: "Delivered"; readonly conversation?: Conversation }
  | { readonly _tag: "Complained" }
  | { readonly _tag: "Accepted"; readonly conversation?: Conversation }
  | { readonly _tag: "Sent"; readonly conversation?: Conversation }
  | { readonly _tag: "Deferred"; readonly retryAfter?: number; readonly conversation?: Conversation }
  | { readonly _tag: "Bounced"; readonly conversation?: Conversation }
  | { readonly _tag: "Refused"; readonly conversation?: Conversation }
  | { readonly _tag: "Unknown"; readonly conversation?: Conversation }
  | { readonly _tag: "Busy"; readonly at: number }
  | { readonly _tag: "Withdrawn"; readonly conversation?: Conversation }

/** What an attempt ended with; `Lost` when its sender died. */
export type AttemptOutcome = Exclude<Outcome["_tag"], "Busy" | "Withdrawn"> | "Lost"

/** An attempt to send a delivery, kept for the operator. All times are epoch milliseconds. */
export interface Attempt extends Conversation {
  readonly accountId: string
  readonly deliveryId: string
  /** The claim it was made with: with the delivery it names the attempt. */
  readonly claim: number
  readonly startedAt: number
  readonly finishedAt: number
  readonly outcome: AttemptOutcome
}
