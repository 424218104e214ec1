/**
 * Stores submissions and their deliveries.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { DeliveryReason, DeliveryStatus } from "../model/DeliveryStatus.ts"
import type { StoredBodies, StoredContent } from "../model/Content.ts"
import type {
  Delivery,
  EmailSource,
  MarketingGate,
  NewSubmission,
  SubmissionSummary,
  UnloadedSubmission
} from "../model/Submission.ts"
import type { VisitedBy } from "../model/Visit.ts"
import type { Among, Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { UtcDay } from "../shared/UtcDays.ts"
import type { NewJob } from "./JobQueue.ts"
import type { WriteConflict } from "./Transaction.ts"

/** Identifies a delivery of an account. */
export interface DeliveryRef {
  readonly accountId: string
  readonly id: string
}

/** Identifies a submission of an account. */
export interface SubmissionRef {
  readonly accountId: string
  readonly id: string
}

/** A sender's claim of a delivery. */
export interface DeliveryClaim extends DeliveryRef {
  /** The value of `Delivery.claims` at the claim. */
  readonly claim: number
}

/** A claim with the conditions that must still hold before the last byte of its message is sent. */
export interface GatedClaim extends DeliveryClaim {
  /** The recipient's address, normalized, and its keyed hash: the two forms in which the suppression list may contain it. */
  readonly email: string
  readonly addressHash: string
  /** The consent that a marketing email requires; null for a transactional email. */
  readonly marketing: MarketingGate | null
  /** The hash of what is sent (`Delivery.contentHash`). If absent or null, the stored value stays unchanged. */
  readonly contentHash?: string | null
}

/** A change of a delivery's state, made only if the delivery is still in the state `from`. */
export interface DeliveryMove extends DeliveryRef {
  readonly from: DeliveryStatus
  readonly to: DeliveryStatus
  readonly reason: DeliveryReason | null
  readonly attempts: number
  /** The claim of the caller: the move is made only while it is the delivery's latest claim. Null for any. */
  readonly claim: number | null
  /** Whether to move only if no last byte was allowed, for a caller that is not the sender and saw none. False by default. */
  readonly isUncommitted?: boolean
  /** The lane that holds the delivery from now on, and its line (`lineOf`). If absent or null, both stay unchanged. */
  readonly held?: { readonly lane: string; readonly line: string } | null
  /** The provider whose servers were tried. If absent or null (not in the table), it stays unchanged. */
  readonly provider?: string | null
  /** Epoch milliseconds. */
  readonly at: number
}

/** A delivery in a list by status. */
export interface ListedDelivery extends Pick<Delivery, "id" | "reason" | "submissionId" | "updatedAt"> {
  /** The time of its submission, in epoch milliseconds. */
  readonly createdAt: number
}

/** The number of deliveries that a lane holds for a reason, of one account and line (`lineOf`). */
export interface HeldCount {
  readonly lane: string
  readonly accountId: string
  readonly line: string
  readonly reason: DeliveryReason
  readonly count: number
  /** Since when the first of them is held, epoch milliseconds; null if not known. */
  readonly since: number | null
}

/** A job to store together with submissions. */
export interface SubmissionJob {
  readonly job: NewJob
  /** The submission to which the job belongs; null if it belongs to all of them. */
  readonly submissionId: string | null
}

/** Which submissions a list shows: those with one delivery that meets all conditions about deliveries. */
export interface SubmissionFilter extends TimeRange {
  /** The delivery's status. */
  readonly status?: Among<DeliveryStatus>
  /** The delivery's reason. */
  readonly reason?: Among<DeliveryReason>
  /** The delivery's address, normalized. */
  readonly to?: Among<string>
  /** The domain of the delivery's address, in lower case. */
  readonly domain?: Among<string>
  /** The provider at whose servers the delivery was last tried. */
  readonly provider?: Among<string>
  /** Who opened the delivery. */
  readonly opened?: Among<VisitedBy>
  /** Who clicked a link of the delivery. */
  readonly clicked?: Among<VisitedBy>
  /** The address of the given sender, in lower case. */
  readonly from?: Among<string>
  /** The flow that sent it. */
  readonly flowId?: Among<string>
  /** The campaign that sent it. */
  readonly campaignId?: Among<string>
  readonly templateId?: Among<string>
  /** What sent it. */
  readonly source?: Among<EmailSource>
  /** The API key that sent it. */
  readonly keyId?: Among<string>
  /** A tag of the submission. */
  readonly tag?: Among<Tag>
  /** Matches as defined by `core/sending/emails/EmailSearch.ts: isFound`. */
  readonly q?: string | null
}

/** A tag with its value. */
export interface Tag {
  readonly name: string
  readonly value: string
}

/** The flow and the run that sent a submission. */
export interface SubmissionFlow {
  readonly id: string
  readonly flowId: string
  readonly runId: string
}

/** The campaign that sent a submission, and the contact it was sent to. */
export interface SubmissionCampaign {
  readonly id: string
  readonly campaignId: string
  readonly contactId: string
}

/** The flow or campaign that sent a submission. */
export interface SubmissionSource {
  readonly id: string
  readonly sourceId: string
}

/** The deliveries of a day. */
export interface DayDeliveries {
  /** The deliveries accepted on the day, by their current status. */
  readonly statuses: Readonly<Record<DeliveryStatus, number>>
  /** The number of these that failed because the mailbox was full. */
  readonly softBounced: number
}

/** How many of the latest deliveries to a domain are examined to find its provider. */
export const maxOfDomain = 20

/** The port of submissions and their deliveries. */
export class SubmissionStore extends Context.Service<
  SubmissionStore,
  {
    /**
     * Adds submissions of one account, with their deliveries. If the account already has a submission with the same idempotency
     * key (a unique constraint, so even when another node adds it at the same time), that one is not added. Returns, in order,
     * the stored submission of each: itself, or the earlier one. A fixed number of statements; the first adds all submissions and
     * jobs.
     *
     * @param jobs the jobs to enqueue in the `JobQueue` of the same storage: those of added submissions, and, if any was added,
     *   those without a submission. Submissions and jobs are stored together or not at all, even outside a transaction.
     * @param objects the ids of objects stored outside the database for this content, by hash. The account already has the
     *   content of hashes that are left out. Not given if the database itself stores content: then equal content of an account is
     *   stored once, and small bodies with their submission.
     *
     * Fails with `WriteConflict` on a deadlock, or if content that it names was removed meanwhile; then nothing was added.
     */
    readonly insert: (
      accountId: string,
      submissions: ReadonlyArray<NewSubmission>,
      jobs: ReadonlyArray<SubmissionJob>,
      objects?: ReadonlyMap<string, string>
    ) => Effect.Effect<ReadonlyArray<SubmissionSummary>, WriteConflict | Unavailable>
    /** The account's submissions with those ids that exist, in no order. */
    readonly find: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SubmissionSummary>, Unavailable>
    /** The account's submissions with those idempotency keys that exist, in no order. */
    readonly ofKeys: (
      accountId: string,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SubmissionSummary>, Unavailable>
    /** The flow and run of each given submission of the account that a flow sent, in no order. */
    readonly flowsOf: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SubmissionFlow>, Unavailable>
    /** The campaign and contact of each given submission of the account that a campaign sent, in no order. */
    readonly campaignsOf: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SubmissionCampaign>, Unavailable>
    /** The flow or campaign that sent each given submission of the account, if one did, in no order. */
    readonly originsOf: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SubmissionSource>, Unavailable>
    /**
     * The times, by contact, at which marketing email was submitted to contacts after a time (epoch milliseconds): the latest
     * `most` of each, newest first. Emails that were suppressed or cancelled do not count.
     */
    readonly marketingTimes: (
      accountId: string,
      contactIds: ReadonlyArray<string>,
      after: number,
      most: number
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<number>>, Unavailable>
    /** When the latest submission from each template was made, epoch milliseconds; templates without one are left out. */
    readonly lastUses: (
      accountId: string,
      templateIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, number>, Unavailable>
    /**
     * By domain, the provider at whose servers emails to it were last tried. Domains whose latest {@link maxOfDomain} deliveries
     * have no known provider are left out.
     */
    readonly providersOf: (
      accountId: string,
      domains: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, string>, Unavailable>
    /** The account's submissions that pass the filter, newest first. */
    readonly list: (
      accountId: string,
      filter: SubmissionFilter,
      page: PageRequest
    ) => Effect.Effect<Page<SubmissionSummary>, Unavailable>
    /** The account's deliveries of each of the days, in order. A delivery counts on the day its submission was accepted. */
    readonly countByDay: (
      accountId: string,
      days: ReadonlyArray<UtcDay>
    ) => Effect.Effect<ReadonlyArray<DayDeliveries>, Unavailable>
    /** The submissions to which the deliveries belong, each once, without content that may be large. For the sender. */
    readonly unloaded: (
      refs: ReadonlyArray<DeliveryRef>
    ) => Effect.Effect<ReadonlyArray<UnloadedSubmission>, Unavailable>
    /** The html and text of the submissions that exist, whatever their size, in no order. */
    readonly bodies: (
      refs: ReadonlyArray<SubmissionRef>
    ) => Effect.Effect<ReadonlyArray<SubmissionRef & StoredBodies>, Unavailable>
    /** Like `bodies`, with the attachments. */
    readonly contents: (
      refs: ReadonlyArray<SubmissionRef>
    ) => Effect.Effect<ReadonlyArray<SubmissionRef & StoredContent>, Unavailable>
    /**
     * Makes the moves whose delivery is still as the move states, all in one statement, and returns the moved deliveries in their
     * new state. A move that is not in the table of DeliveryStatus is a defect. `from` may equal `to`, to change only the reason,
     * except for HandingOff: a move from it to itself is a new claim of a delivery whose sender died. Each move to HandingOff
     * increments `claims`; every move sets `committedAt` to null.
     */
    readonly move: (moves: ReadonlyArray<DeliveryMove>) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /**
     * Allows the last byte of messages: sets `committedAt` and `contentHash` of those HandingOff deliveries whose latest claim is
     * the given one and that may still be sent, and returns them. They may be sent if the address is not suppressed; if, for
     * marketing, the address is still that of its contact, who consents and has the topic on, as `core/sending/gate/GateRules.ts:
     * gateRefusal` decides; and if their campaign is neither paused nor cancelled. One statement. If another transaction is
     * changing the contact, the delivery is not returned and may be claimed again. Must not run in a transaction of the caller:
     * the result is durable when it returns.
     */
    readonly commit: (
      claims: ReadonlyArray<GatedClaim>,
      at: number
    ) => Effect.Effect<ReadonlyArray<DeliveryRef>, Unavailable>
    /**
     * The deliveries that `commit` would return, without changing them: for a transport that delivers in the caller's
     * transaction. They and the contacts of marketing are locked until it ends, so that none is erased, cancelled or withdrawn
     * meanwhile.
     */
    readonly lockSendable: (
      claims: ReadonlyArray<GatedClaim>
    ) => Effect.Effect<ReadonlyArray<DeliveryRef>, Unavailable>
    /**
     * The deliveries of an account's flow runs that are not sent yet: Queued, PendingReview, or HandingOff and not committed.
     * Locked until the caller's transaction ends, so that none is claimed or committed meanwhile.
     */
    readonly lockUnsent: (
      accountId: string,
      runIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /** The given deliveries that exist, in no order. */
    readonly deliveries: (
      refs: ReadonlyArray<DeliveryRef>
    ) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /**
     * Sets `openedAt`, `clickedAt`, `complainedAt`, `unsubscribedAt` or `topicOffAt` of deliveries for which it is null, and
     * returns these deliveries: for them it happened for the first time. One statement.
     */
    readonly engage: (
      kind: "clicked" | "complained" | "opened" | "topicOff" | "unsubscribed",
      refs: ReadonlyArray<DeliveryRef>,
      at: number
    ) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /**
     * Erases the content (subject, html, text, headers, attachments, tags, metadata) of an account's submissions made before
     * `before`, oldest first, at most `limit`. Submissions with a delivery that is Queued, PendingReview or HandingOff are left
     * for later. Returns the deliveries of the erased ones.
     */
    readonly eraseContent: (
      accountId: string,
      before: number,
      limit: number,
      now: number
    ) => Effect.Effect<ReadonlyArray<DeliveryRef>, Unavailable>
    /**
     * Clears the address, the name and `contentHash` of an account's deliveries made before `before`, oldest first, at most
     * `limit`, with the same exception as `eraseContent`. `from` and `replyTo` stay. Returns the cleared deliveries.
     */
    readonly eraseRecipients: (
      accountId: string,
      before: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<DeliveryRef>, Unavailable>
    /** When the oldest submission with content, and the oldest with recipients, was made. */
    readonly oldest: (
      accountId: string
    ) => Effect.Effect<{ readonly content: number | null; readonly recipients: number | null }, Unavailable>
    /** The number of an account's Queued deliveries, counted up to `most`. */
    readonly countQueued: (accountId: string, most: number) => Effect.Effect<number, Unavailable>
    /**
     * An account's deliveries with a status, those of the newest submissions first, starting after a delivery that an earlier
     * call returned (null for the beginning). The limit is approximate, because all deliveries of a submission are returned
     * together.
     */
    readonly inStatus: (
      accountId: string,
      status: DeliveryStatus,
      after: ListedDelivery | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ListedDelivery>, Unavailable>
    /** An account's Queued deliveries that wait for `reason`, oldest first, after the id `after`. */
    readonly waiting: (
      accountId: string,
      reason: DeliveryReason,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /**
     * An account's Queued deliveries that a lane holds, by line in the given order and then by id. With `before`, epoch
     * milliseconds, only those held since an earlier time. It reads no other deliveries.
     */
    readonly held: (
      lane: string,
      accountId: string,
      lines: ReadonlyArray<string>,
      limit: number,
      before?: number | null
    ) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /**
     * The number of Queued deliveries that lanes hold, by lane, account and line. With `before`, epoch milliseconds, only those
     * held since an earlier time.
     */
    readonly countHeld: (
      lanes: ReadonlyArray<string>,
      before?: number | null
    ) => Effect.Effect<ReadonlyArray<HeldCount>, Unavailable>
    /**
     * Every lane that holds Queued deliveries, with their number, counted up to `most`, and since when the first of those counted
     * is held. It reads no more deliveries of a lane than that, however many are held.
     */
    readonly heldLanes: (
      most: number
    ) => Effect.Effect<ReadonlyArray<Pick<HeldCount, "lane" | "count" | "since">>, Unavailable>
    /**
     * Deletes an account's deliveries to normalized addresses, in any state, and the submissions that had no other recipient, as
     * part of erasing a person. Returns the ids of the deleted deliveries. In the caller's transaction.
     */
    readonly erase: (
      accountId: string,
      emails: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
  }
>()("svc/ports/SubmissionStore") {}
