/**
 * Pure functions that build the submission and the jobs of a validated email.
 *
 * @module
 */
import type { NewJob } from "../../ports/JobQueue.ts"
import { commonReason, type DeliveryReason } from "../../model/DeliveryStatus.ts"
import type { EmailText } from "./EmailContent.ts"
import type { EmailCommand } from "./EmailRequest.ts"
import { deliveryJob } from "../../jobs/definitions/DeliveryJobs.ts"
import { type LongText, stringOf } from "../../model/LongText.ts"
import type {
  Delivery,
  EmailOrigin,
  EmailSource,
  Labels,
  NewSubmission,
  SubmissionSummary
} from "../../model/Submission.ts"
import { type SuppressionKind, suppressionReason } from "../../model/Suppression.ts"

/** A command with its content, either given or rendered from its template. */
export interface ReadyEmail extends Omit<EmailCommand, "body"> {
  readonly content: EmailText<LongText>
  /** The language of its content; null for the account's language. */
  readonly language: string | null
  readonly templateId: string | null
  /** The version of the template. */
  readonly templateVersion: number | null
  /** Empty without an idempotency key. */
  readonly contentDigest: string
  /** Null for an email that neither a flow nor a campaign sends. */
  readonly origin: EmailOrigin | null
  readonly source: EmailSource
  readonly keyId: string | null
  /** `Delivery.contentHash` of its recipient; absent if it is computed when the email is sent. */
  readonly contentHash?: string
}

/** The number of ids that a submission needs. The delivery of a single recipient has the id of the submission. */
export const idsOf = ({ recipients }: Pick<EmailCommand, "recipients">): number =>
  recipients.length === 1 ? 1 : 1 + recipients.length

/**
 * Builds the submission of an email.
 *
 * @param newIds as many as `idsOf` returns
 * @param suppressions the kinds of suppressed addresses, by address
 * @param waits whether it has no verified sender now
 * @param accountLanguage the language of content that specifies none
 */
export const draftSubmission = (
  accountId: string,
  email: ReadyEmail,
  newIds: ReadonlyArray<string>,
  suppressions: ReadonlyMap<string, SuppressionKind>,
  waits: boolean,
  accountLanguage: string,
  now: number
): NewSubmission => {
  const [id, ...others] = newIds as readonly [string, ...Array<string>]
  const {
    content,
    contentHash = null,
    keepsContent,
    language,
    origin,
    recipients,
    sendAt: asked,
    ...rest
  } = email
  // Null means at once, also for a time in the past.
  const sendAt = asked !== null && asked > now ? asked : null
  const waitsFor: DeliveryReason | null =
    sendAt !== null ? "sending.scheduled" : waits ? "sending.no_verified_sender" : null
  const deliveries = recipients.map(({ email: address, kind, name }, index): Delivery => {
    const suppression = suppressions.get(address)
    return {
      id: recipients.length === 1 ? id : others[index]!,
      submissionId: id,
      accountId,
      email: address,
      name,
      kind,
      status: suppression === undefined ? "Queued" : "Suppressed",
      reason: suppression === undefined ? waitsFor : suppressionReason[suppression],
      attempts: 0,
      claims: 0,
      committedAt: null,
      openedAt: null,
      clickedAt: null,
      lane: null,
      line: "",
      heldSince: null,
      notDue: 0,
      provider: null,
      contentHash,
      complainedAt: null,
      unsubscribedAt: null,
      topicOffAt: null,
      updatedAt: now
    }
  })
  return {
    ...rest,
    ...content,
    language: keepsContent ? null : (language ?? accountLanguage),
    flowId: origin?.flowId ?? null,
    runId: origin?.runId ?? null,
    marketing: origin?.marketing ?? null,
    isSystem: rest.source === "System",
    id,
    accountId,
    sendAt,
    acceptedStatus: deliveries.every((delivery) => delivery.status === "Suppressed")
      ? "Suppressed"
      : "Queued",
    acceptedReason: commonReason(deliveries),
    contentErasedAt: null,
    createdAt: now,
    deliveries
  }
}

/** The jobs that send a new submission's queued deliveries. `ids` returns the next new id. */
export const jobsOf = (submission: SubmissionSummary, ids: () => string): ReadonlyArray<NewJob> =>
  submission.deliveries
    .filter((delivery) => delivery.status === "Queued")
    .map((delivery) =>
      deliveryJob.job(submission.source === "Campaign", {
        id: ids(),
        accountId: submission.accountId,
        payload: { deliveryId: delivery.id },
        runAt: submission.sendAt ?? submission.createdAt
      })
    )

/**
 * A string that is equal for equal emails, from which the digest is computed.
 *
 * @param hash returns the digest of an attachment's bytes
 */
export const canonicalText = (
  email: Omit<ReadyEmail, "contentDigest" | "keyId" | "language" | "origin" | "source">,
  hash: (content: Uint8Array) => string
): string => {
  const bodies = [email.content.html, email.content.text]
  return JSON.stringify([
    email.recipients.map(({ email: address, kind, name }) => [kind, address, name]),
    [email.from, email.replyTo].map((mailbox) => mailbox && [mailbox.email, mailbox.name]),
    [email.content.subject, ...bodies.map((body) => body && stringOf(body)), email.templateId],
    email.attachments.map(({ content, contentId, contentType, filename }) => [
      filename,
      contentType,
      contentId,
      hash(content)
    ]),
    email.headers.map(({ name, value }) => [name, value]),
    sorted(email.tags),
    sorted(email.metadata),
    [email.trackOpens, email.trackClicks, email.sendAt]
  ])
}

/** Sorted by name: labels have no order. */
const sorted = (labels: Labels): ReadonlyArray<readonly [string, string]> =>
  Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))
