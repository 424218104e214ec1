/**
 * Builds the message for one recipient: its draft, and the envelope around it.
 *
 * @module
 */
import { type ReplaceLinks, withLinks } from "../../audience/pages/StoredLinks.ts"
import type { Account, Sender } from "../../model/Account.ts"
import type { Job } from "../../ports/JobQueue.ts"
import type { Mailbox } from "../../shared/Mailbox.ts"
import { type SendingDomain, signingKeys } from "../../model/Domain.ts"
import type { MessageDraft, OutboundMessage } from "../../model/Message.ts"
import type { ReturnPathTokens } from "./ReturnPath.ts"
import type { Attachment, Delivery, RecipientKind, UnloadedSubmission } from "../../model/Submission.ts"
import type { HtmlTracker } from "../tracking/TrackHtml.ts"

/** A claimed delivery with everything needed to send it. */
export interface OutgoingDelivery {
  readonly job: Job
  readonly submission: UnloadedSubmission
  /** As claimed. */
  readonly delivery: Delivery
  readonly account: Account
  readonly sender: Sender
  /** The sender's domain, verified. */
  readonly domain: SendingDomain
}

/** The tools that drafts of a batch share. */
export interface DraftTools {
  readonly paths: ReturnPathTokens
  readonly track: HtmlTracker
  /** Makes the links of an account's contacts valid, which they are not as stored. */
  readonly reveal: (accountId: string) => ReplaceLinks
}

/** A submission's recipients that a header shows; one that retention has removed is left out. */
const shown = (submission: UnloadedSubmission, kind: RecipientKind): ReadonlyArray<Mailbox> =>
  submission.deliveries
    .filter((delivery) => delivery.kind === kind && delivery.email !== "")
    .map(({ email, name }) => ({ email, name }))

/**
 * The draft of a recipient's copy. Every copy shows the same To and Cc, and has its own tracking links.
 *
 * @param attachments the attachments of the submission
 * @param now the message's date, epoch milliseconds
 */
export const draftOf = (
  outgoing: OutgoingDelivery,
  attachments: ReadonlyArray<Attachment>,
  { paths, reveal, track }: DraftTools,
  now: number
): MessageDraft => {
  const { account, delivery, domain, sender } = outgoing
  const submission = withLinks(reveal(delivery.accountId), outgoing.submission)
  return {
    from: sender,
    replyTo: submission.replyTo,
    to: shown(submission, "To"),
    cc: shown(submission, "Cc"),
    subject: submission.subject,
    html: track(submission, delivery, account.settings),
    text: submission.text,
    attachments,
    headers: submission.headers,
    messageId: paths.messageId(delivery, domain.domain),
    date: now,
    signWith: signingKeys(domain)
  }
}

/** The composed message in its envelope. */
export const messageOf = (
  { delivery, domain }: OutgoingDelivery,
  { paths }: DraftTools,
  draft: MessageDraft,
  raw: Uint8Array
): OutboundMessage => ({
  deliveryId: delivery.id,
  submissionId: delivery.submissionId,
  accountId: delivery.accountId,
  returnPath: paths.address(delivery, domain.domain),
  recipient: delivery.email,
  from: draft.from,
  subject: draft.subject,
  html: draft.html,
  text: draft.text,
  raw,
  attempts: delivery.attempts
})

/** About how many bytes a message holds until it is sent: its html and text. */
export const weightOf = ({ submission: { html, text } }: OutgoingDelivery): number =>
  3 * ((html?.length ?? 0) + (text?.length ?? 0))

/** About how many bytes its attachments hold while it is sent: as stored, encoded, and composed. */
export const loadOf = ({ submission: { attachedBytes } }: OutgoingDelivery): number => 3 * attachedBytes

/** The domain of an address. */
export const domainOfAddress = (email: string): string => email.slice(email.lastIndexOf("@") + 1)
