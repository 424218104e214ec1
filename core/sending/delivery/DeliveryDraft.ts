/**
 * Builds the message for one recipient: its draft, and the envelope around it.
 *
 * @module
 */
import { Effect } from "effect"
import { type ReplaceLinks, withLinks } from "../../audience/pages/StoredLinks.ts"
import type { Account, Sender } from "../../model/Account.ts"
import type { Job } from "../../ports/JobQueue.ts"
import type { Mailbox } from "../../shared/Mailbox.ts"
import { type SendingDomain, type SigningKey, signingKeys } from "../../model/Domain.ts"
import {
  mailClassOf,
  type MessageDraft,
  type MessageRoute,
  type OutboundMessage
} from "../../model/Message.ts"
import type { Ways } from "../relays/RelayRouting.ts"
import type { ReturnPathTokens } from "./ReturnPath.ts"
import {
  type Delivery,
  type EmailContent,
  type RecipientKind,
  tlsOptional,
  type UnloadedSubmission
} from "../../model/Submission.ts"
import type { HtmlRewriter } from "../../ports/HtmlRewriter.ts"
import type { DeliveryRef } from "../../ports/SubmissionStore.ts"
import { domainOfAddress } from "../../shared/EmailAddress.ts"
import { completedBodies, listHeaders } from "./MessageContent.ts"
import { type HtmlTracker, type TrackingChoice, trackingOf } from "../tracking/TrackHtml.ts"

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
  /** The ways (relays or direct delivery) that the account chose for the email. */
  readonly ways: Ways
  /** The keys of the providers at which the delivery has to wait; left out if there are none. */
  readonly notAt?: ReadonlySet<string>
}

/** The tools that drafts of a batch share. */
export interface DraftTools {
  readonly paths: ReturnPathTokens
  readonly rewriter: HtmlRewriter["Service"]
  readonly track: HtmlTracker
  /** Keys that sign each message in addition to those of its domain. */
  readonly signAlso: ReadonlyArray<SigningKey>
  /**
   * Completes links that are stored incomplete: those of an account's contacts, or of a user to whom the installation writes.
   */
  readonly reveal: (email: Pick<UnloadedSubmission, "accountId" | "isSystem" | "marketing">) => ReplaceLinks
}

/** One recipient's copy of an email, without its content. */
export interface RecipientCopy {
  readonly submission: UnloadedSubmission
  readonly delivery: DeliveryRef
  readonly from: Mailbox
  /** Without angle brackets. */
  readonly messageId: string
  readonly tracking: TrackingChoice
  readonly signWith: ReadonlyArray<SigningKey>
  /** The date of the message, epoch milliseconds. */
  readonly date: number
}

/** Returns the copy of a claimed delivery. */
export const copyOf = (
  { account, delivery, domain, sender, submission }: OutgoingDelivery,
  { paths, signAlso }: DraftTools,
  date: number
): RecipientCopy => ({
  submission,
  delivery,
  from: sender,
  messageId: paths.messageId(delivery, domain.domain),
  tracking: trackingOf(submission, account.settings),
  signWith: [...signingKeys(domain), ...signAlso.filter((key) => key.domain !== domain.domain)],
  date
})

/** A submission's recipients that a header shows, without those that retention has removed. */
const shown = (submission: UnloadedSubmission, kind: RecipientKind): ReadonlyArray<Mailbox> =>
  submission.deliveries
    .filter((delivery) => delivery.kind === kind && delivery.email !== "")
    .map(({ email, name }) => ({ email, name }))

/** Returns the draft of a copy. Every copy shows the same To and Cc, and has its own tracking links. */
export const draftOf = (
  { date, delivery, from, messageId, signWith, submission, tracking }: RecipientCopy,
  { attachments, ...bodies }: EmailContent,
  { reveal, rewriter, track }: Pick<DraftTools, "reveal" | "rewriter" | "track">
): Effect.Effect<MessageDraft> => {
  const { headers, ...given } = withLinks(reveal(submission), {
    headers: submission.headers,
    ...bodies
  })
  return Effect.map(completedBodies(rewriter, submission, given), ({ html, text }) => ({
    from,
    replyTo: submission.replyTo,
    to: shown(submission, "To"),
    cc: shown(submission, "Cc"),
    subject: submission.subject,
    html: track(html, delivery, tracking, submission.linkNames),
    text,
    attachments,
    headers: [...headers, ...listHeaders(submission, domainOfAddress(from.email))],
    messageId,
    date,
    signWith
  }))
}

/** Whether a message is one of the service's own reports about TLS. The header has no effect in a company's message. */
const isTlsOptional = ({ headers, isSystem }: UnloadedSubmission): boolean =>
  isSystem && headers.some(({ name, value }) => name === tlsOptional.name && value === tlsOptional.value)

/** Returns the composed message in its envelope. */
export const messageOf = (
  { account, delivery, domain, submission }: OutgoingDelivery,
  { paths }: DraftTools,
  draft: MessageDraft,
  raw: Uint8Array,
  routes: ReadonlyArray<MessageRoute> | null
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
  attempts: delivery.attempts,
  mailClass: mailClassOf(submission.marketing),
  requireTls: account.settings.requireTls,
  ...(isTlsOptional(submission) ? { ignoresTlsPolicy: true } : {}),
  ...(routes === null ? {} : { routes })
})

/** About how many bytes the HTML and text of a message hold until it is sent. */
export const weightOf = ({ submission: { bodyBytes } }: OutgoingDelivery): number => 3 * bodyBytes

/** About how many bytes the loaded content of a message holds: as stored, encoded and composed. */
export const loadOf = ({ attachedBytes, bodies, bodyBytes }: UnloadedSubmission): number =>
  3 * (attachedBytes + (bodies === null ? bodyBytes : 0))
