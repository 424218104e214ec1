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

/** A delivery of an account. */
export interface DeliveryRef {
  readonly accountId: string
  readonly id: string
}

/** A submission of an account. */
export interface SubmissionRef {
  readonly accountId: string
  readonly id: string
}

/** A sender's claim of a delivery. */
export interface DeliveryClaim extends DeliveryRef {
  /** `Delivery.claims` as of the claim. */
  readonly claim: number
}

/** A claim with what must still hold before the last byte of its message is sent. */
export interface GatedClaim extends DeliveryClaim {
  /** The recipient's address, normalized, and its keyed hash: the names under which it may be suppressed. */
  readonly email: string
  readonly addressHash: string
  /** The consent that a marketing email needs; null for a transactional one. */
  readonly marketing: MarketingGate | null
  /** What is sent (`Delivery.contentHash`); left out or null where that is not known, which changes nothing. */
  readonly contentHash?: string | null
}

/** A change of a delivery's state, made only if it is still in `from`. */
export interface DeliveryMove extends DeliveryRef {
  readonly from: DeliveryStatus
  readonly to: DeliveryStatus
  readonly reason: DeliveryReason | null
  readonly attempts: number
  /** The claim of the move, which is made only while this is the delivery's latest one. Null for any. */
  readonly claim: number | null
  /** Whether the move is made only while no last byte was allowed: by who found none, and is not the sender. False unless given. */
  readonly isUncommitted?: boolean
  /** The lane on which the delivery is held from now on, and its line; left out or null for none, which changes nothing. */
  readonly held?: { readonly lane: string; readonly line: string } | null
  /** The provider whose servers were tried; left out or null for none of the table, which changes nothing. */
  readonly provider?: string | null
  /** Epoch milliseconds. */
  readonly at: number
}

/** How many deliveries of a line of an account a lane holds for a reason. */
export interface HeldCount {
  readonly lane: string
  readonly accountId: string
  readonly line: string
  readonly reason: DeliveryReason
  readonly count: number
  /** Since when the first of them is held, epoch milliseconds; null where that is not known. */
  readonly since: number | null
}

/** A job that is stored with submissions. */
export interface SubmissionJob {
  readonly job: NewJob
  /** The submission it belongs to; null for a job of all of them. */
  readonly submissionId: string | null
}

/** Which submissions a list shows: one of their deliveries has all that is asked of a delivery. */
export interface SubmissionFilter extends TimeRange {
  /** The delivery's status. */
  readonly status?: Among<DeliveryStatus>
  /** The delivery's reason. */
  readonly reason?: Among<DeliveryReason>
  /** The delivery's address, normalized. */
  readonly to?: Among<string>
  /** The domain of the delivery's address, in lower case. */
  readonly domain?: Among<string>
  /** The provider whose servers the delivery was last tried at. */
  readonly provider?: Among<string>
  /** Who opened the delivery. */
  readonly opened?: Among<VisitedBy>
  /** Who clicked a link of the delivery. */
  readonly clicked?: Among<VisitedBy>
  /** The address of the sender that was given, in lower case. */
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
  /** Finds what `core/sending/emails/EmailSearch.ts: isFound` says. */
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
  /** Of those accepted that day, how many have each status now. */
  readonly statuses: Readonly<Record<DeliveryStatus, number>>
  /** Of those accepted that day, how many failed because the mailbox was full. */
  readonly softBounced: number
}

/** Of how many deliveries to a domain, the latest, it is looked for the provider. */
export const maxOfDomain = 20

/** The port of submissions and their deliveries. */
export class SubmissionStore extends Context.Service<
  SubmissionStore,
  {
    /**
     * Adds submissions of one account, with their deliveries. Where the account already has one with the same
     * idempotency key (a unique constraint, so also when another node adds it at the same time) nothing is added. Returns, in
     * order, the stored submission of each: itself, or the earlier one. A fixed number of statements, of which the first adds
     * all submissions and jobs.
     *
     * @param jobs are enqueued in the `JobQueue` of the same storage: those of submissions that were added, and those without
     *   a submission if any was added. Submissions and jobs are stored together or not at all, also outside a transaction.
     * @param objects the ids of the objects that were stored outside the database for this content, by its hash. A hash
     *   that is left out is one that the account has content of. Not given where the database keeps content itself: then
     *   equal content of an account is stored once, and small bodies with their submission.
     * Fails with `WriteConflict` on a deadlock, and where content that it names was removed meanwhile; then nothing was
     * added.
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
    /** Those of the account's submissions that flows sent, in no order. */
    readonly flowsOf: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SubmissionFlow>, Unavailable>
    /** Those of the account's submissions that campaigns sent, in no order. */
    readonly campaignsOf: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SubmissionCampaign>, Unavailable>
    /** Those of the account's submissions that flows or campaigns sent, in no order. */
    readonly originsOf: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SubmissionSource>, Unavailable>
    /**
     * When marketing was submitted to contacts after a time (epoch milliseconds), by contact: the latest `most` of each, newest
     * first. Emails that were suppressed or cancelled do not count.
     */
    readonly marketingTimes: (
      accountId: string,
      contactIds: ReadonlyArray<string>,
      after: number,
      most: number
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<number>>, Unavailable>
    /** When the latest submission was made from each of those templates, epoch milliseconds; those without one are left out. */
    readonly lastUses: (
      accountId: string,
      templateIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, number>, Unavailable>
    /**
     * The providers whose servers emails to those domains were last tried at, by domain; without the domains of which it is not
     * known, or not of the latest {@link maxOfDomain} deliveries.
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
    /** The account's deliveries of each of those days, in order; a delivery is accepted when its submission is. */
    readonly countByDay: (
      accountId: string,
      days: ReadonlyArray<UtcDay>
    ) => Effect.Effect<ReadonlyArray<DayDeliveries>, Unavailable>
    /** The submissions those deliveries belong to, each once, without content that may be large; for the sender. */
    readonly unloaded: (
      refs: ReadonlyArray<DeliveryRef>
    ) => Effect.Effect<ReadonlyArray<UnloadedSubmission>, Unavailable>
    /** The html and text of those submissions that exist, however large, in no order. */
    readonly bodies: (
      refs: ReadonlyArray<SubmissionRef>
    ) => Effect.Effect<ReadonlyArray<SubmissionRef & StoredBodies>, Unavailable>
    /** As `bodies`, with the attachments. */
    readonly contents: (
      refs: ReadonlyArray<SubmissionRef>
    ) => Effect.Effect<ReadonlyArray<SubmissionRef & StoredContent>, Unavailable>
    /**
     * Makes the moves whose delivery is still as they say, all in one statement, and returns the moved deliveries as they are
     * now. A move that the table of DeliveryStatus does not list is a defect. `from` may equal `to`, to change only the reason,
     * except for HandingOff: from it to itself is a new claim of a delivery whose sender died. Each move to HandingOff
     * increments `claims`; every move sets `committedAt` to null.
     */
    readonly move: (moves: ReadonlyArray<DeliveryMove>) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /**
     * Sets `committedAt` and `contentHash` of the HandingOff deliveries whose latest claim is still that one and that may
     * still be sent, and returns them: the address is not suppressed and, for marketing, is its contact's, who consents and
     * has the topic on, as `core/sending/gate/GateRules.ts: gateRefusal` decides; its campaign is neither paused nor cancelled.
     * One statement. Where another transaction is changing the contact at the same time, the delivery is not returned, and may
     * be claimed again. Must not run in a transaction of the caller: the result is durable when it returns.
     */
    readonly commit: (
      claims: ReadonlyArray<GatedClaim>,
      at: number
    ) => Effect.Effect<ReadonlyArray<DeliveryRef>, Unavailable>
    /**
     * The deliveries that `commit` would return, which it does not change: for a transport that delivers in the caller's
     * transaction. They and the contacts of marketing are locked until it ends, so that none is erased, cancelled or
     * withdrawn meanwhile.
     */
    readonly lockSendable: (
      claims: ReadonlyArray<GatedClaim>
    ) => Effect.Effect<ReadonlyArray<DeliveryRef>, Unavailable>
    /**
     * The deliveries of an account's runs that are not sent yet: Queued, PendingReview, or HandingOff and not committed.
     * Locked until the caller's transaction ends, so that none is claimed or committed meanwhile.
     */
    readonly lockUnsent: (
      accountId: string,
      runIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /** Those of the deliveries that exist, in no order. */
    readonly deliveries: (
      refs: ReadonlyArray<DeliveryRef>
    ) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /**
     * Sets `openedAt`, `clickedAt`, `complainedAt`, `unsubscribedAt` or `topicOffAt` of the deliveries where it is null, and returns those,
     * for which it was the first time. One statement.
     */
    readonly engage: (
      kind: "clicked" | "complained" | "opened" | "topicOff" | "unsubscribed",
      refs: ReadonlyArray<DeliveryRef>,
      at: number
    ) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /**
     * Erases the content (subject, html, text, headers, attachments, tags, metadata) of an account's submissions made
     * before `before` that have it, the oldest first, at most `limit`; those with a delivery that is Queued,
     * PendingReview or HandingOff are left for later. Returns the deliveries of those erased.
     */
    readonly eraseContent: (
      accountId: string,
      before: number,
      limit: number,
      now: number
    ) => Effect.Effect<ReadonlyArray<DeliveryRef>, Unavailable>
    /**
     * Empties the address, the name and `contentHash` of an account's deliveries made before `before` that have an address;
     * those of `from` and `replyTo` stay. The oldest first, at most `limit`, with the same exception. Returns them.
     */
    readonly eraseRecipients: (
      accountId: string,
      before: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<DeliveryRef>, Unavailable>
    /** When the oldest submission that still has content, and the oldest that still has recipients, was made. */
    readonly oldest: (
      accountId: string
    ) => Effect.Effect<{ readonly content: number | null; readonly recipients: number | null }, Unavailable>
    /** How many of an account's deliveries are Queued, at most `most`: no more are counted. */
    readonly countQueued: (accountId: string, most: number) => Effect.Effect<number, Unavailable>
    /** An account's Queued deliveries that wait for `reason`, oldest first, after the id `after`. */
    readonly waiting: (
      accountId: string,
      reason: DeliveryReason,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /**
     * An account's Queued deliveries that a lane holds, of these lines in their order, by id; of those that are held since a time
     * before `before`, epoch milliseconds, null for all. It reads no other deliveries than these.
     */
    readonly held: (
      lane: string,
      accountId: string,
      lines: ReadonlyArray<string>,
      limit: number,
      before?: number | null
    ) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /**
     * How many Queued deliveries these lanes hold, by lane, account and line; of those that are held since a time before
     * `before`, epoch milliseconds, null for all.
     */
    readonly countHeld: (
      lanes: ReadonlyArray<string>,
      before?: number | null
    ) => Effect.Effect<ReadonlyArray<HeldCount>, Unavailable>
    /**
     * Every lane that holds Queued deliveries: how many, counted to `most`, and since when the first of those counted. However many are
     * held, it reads no more of a lane.
     */
    readonly heldLanes: (
      most: number
    ) => Effect.Effect<ReadonlyArray<Pick<HeldCount, "lane" | "count" | "since">>, Unavailable>
    /**
     * Deletes an account's deliveries to normalized addresses, in any state, and the submissions that had no other recipient:
     * part of erasing a person. Returns the ids of the deleted deliveries. In the caller's transaction.
     */
    readonly erase: (
      accountId: string,
      emails: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
  }
>()("svc/ports/SubmissionStore") {}
