/**
 * Stores campaigns with their versions, progress and recipients, and maintains the counts of recipients and emails.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type {
  Campaign,
  CampaignNamed,
  CampaignProgress,
  CampaignRecipient,
  CampaignStatus,
  CampaignTest,
  CampaignUse,
  CampaignVersion,
  RecipientDecision,
  RecipientReason,
  RecipientState,
  VariantId,
  VersionPart
} from "../model/Campaign.ts"
import type { DeliveryReason, DeliveryStatus } from "../model/DeliveryStatus.ts"
import type { Delivery } from "../model/Submission.ts"
import type { VisitedBy } from "../model/Visit.ts"
import type { Among, Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** A campaign of an account. */
export interface CampaignRef {
  readonly accountId: string
  readonly id: string
}

/** A version of a campaign. */
export interface CampaignVersionRef {
  readonly accountId: string
  readonly campaignId: string
  readonly version: number
}

/** The subjects of a version, and those of its variants and languages, as written (not rendered). */
export interface VersionSubjects extends Pick<CampaignVersion, "campaignId" | "subject" | "version"> {
  readonly parts: ReadonlyArray<Pick<VersionPart, "language" | "subject" | "variant">> | null
}

/** Which campaigns a list shows. The times are creation times. */
export interface CampaignFilter extends TimeRange {
  readonly status?: Among<CampaignStatus>
  readonly isArchived?: boolean | null
  /** Whether to show only drafts and paused campaigns whose approval is requested. */
  readonly isApprovalRequested?: boolean
  /** Shows only current campaigns: Sending, Paused, waiting for an approval, or Sent at this time or later. */
  readonly currentSince?: number | null
  readonly tag?: Among<string>
  /** The keys of topics. */
  readonly topic?: Among<string>
  /** The ids of segments that the audience includes. */
  readonly segment?: Among<string>
  /** A part of the name, or of the subject if the content has no template; case-insensitive. */
  readonly q?: string | null
}

/** A link in the emails of a version, or of one of its variants. */
export interface RecipientLink {
  readonly version: number
  /** Null without a test. */
  readonly variant: VariantId | null
  /** The link's name within its email (`Visit.link`). */
  readonly link: string
}

/** Which recipients a list shows. Filters about emails leave out recipients without one. */
export interface RecipientFilter {
  readonly state?: Among<RecipientState>
  readonly reason?: Among<RecipientReason>
  readonly variant?: Among<VariantId>
  readonly version?: Among<number>
  /** The status of the email. */
  readonly status?: Among<DeliveryStatus>
  readonly opened?: Among<VisitedBy>
  readonly clicked?: Among<VisitedBy>
  /** Links, at least one of which was clicked. */
  readonly links?: ReadonlyArray<RecipientLink> | null
  /** Whether an order followed a click in the email. */
  readonly isConverted?: boolean | null
  /** Whether the person unsubscribed by a link in the email. */
  readonly isUnsubscribed?: boolean | null
  /** A prefix of the address, in lower case. */
  readonly q?: string | null
}

/** What happened with a recipient's email after its delivery. */
export interface RecipientResult {
  readonly deliveryId: string
  readonly openedBy: VisitedBy
  readonly clickedBy: VisitedBy
  /** The names of the links that anyone clicked; see `RecipientLink`. */
  readonly links: ReadonlyArray<string>
  readonly conversions: number
}

/** The result of a variant: the people to whom it was delivered, and those of them who opened or clicked. */
export interface VariantCount {
  readonly variant: VariantId
  readonly delivered: number
  readonly reached: number
}

/** The dimensions by which a campaign's emails can be broken down. Times are UTC. */
export const breakdowns = [
  "Variant",
  "Version",
  "Language",
  "Provider",
  "Domain",
  "Country",
  "Hour",
  "Day"
] as const
export type Breakdown = (typeof breakdowns)[number]

/** The counts of each row of a breakdown. */
export const breakdownCounts = [
  "submitted",
  "delivered",
  "retrying",
  "bounced",
  "failed",
  "complained",
  "unsubscribed",
  "openedHuman",
  "openedUnknown",
  "openedMachine",
  "clickedHuman",
  "clickedUnknown",
  "clickedMachine"
] as const

/** The counts of a campaign's emails with one key of a dimension; the key is null for emails without one. */
export type BreakdownRow = { readonly key: string | null } & Readonly<
  Record<(typeof breakdownCounts)[number], number>
>

/** The clicks of a link in the emails of a version, or of one of its variants. */
export interface LinkCount {
  readonly version: number
  /** Null without a test. */
  readonly variant: VariantId | null
  /** The link's name within its email (`Visit.link`), or `furtherLinks`. */
  readonly link: string
  /** The number of emails by who clicked the link. Each email counts once, by the verdict most in favour of a person. */
  readonly human: number
  readonly unknown: number
  readonly machine: number
  /** All clicks, including those of machines. */
  readonly clicks: number
  /** Epoch milliseconds. */
  readonly firstAt: number
  readonly lastAt: number
}

/** The port of campaigns. */
export class CampaignStore extends Context.Service<
  CampaignStore,
  {
    /** Adds a campaign. */
    readonly insert: (added: Campaign) => Effect.Effect<void, Unavailable>
    /** The account's campaigns with those ids that exist, in no order. */
    readonly find: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Campaign>, Unavailable>
    /**
     * A campaign, locked until the caller's transaction ends; null for an unknown id. The lock waits for running transactions
     * that decide about recipients of the campaign or about the last bytes of its emails. Later ones see what the caller wrote.
     */
    readonly lock: (accountId: string, id: string) => Effect.Effect<Campaign | null, Unavailable>
    /** Replaces a campaign. */
    readonly save: (changed: Campaign) => Effect.Effect<void, Unavailable>
    /** Deletes a campaign with its versions, progress and recipients. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
    /**
     * The account's campaigns that pass a filter, newest first by default. The order `updated` sorts by the last change;
     * `started` by the start, with campaigns that never started first; `name` by the name in the form of `foldCase`. Ties are
     * sorted by id.
     */
    readonly list: (
      accountId: string,
      filter: CampaignFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Campaign>, Unavailable>
    /** The number of an account's campaigns, in one status or (null) in any. */
    readonly count: (accountId: string, status: CampaignStatus | null) => Effect.Effect<number, Unavailable>
    /** The campaign with a slug in the archive; null if none has it. */
    readonly bySlug: (accountId: string, slug: string) => Effect.Effect<Campaign | null, Unavailable>
    /** The campaigns in the archive, which are public and Sent, sorted by their start, newest first. */
    readonly archived: (
      accountId: string,
      limit: number,
      offset: number
    ) => Effect.Effect<ReadonlyArray<Campaign>, Unavailable>
    /**
     * The account's campaigns with the statuses, newest first, at most `limit`. With `starting`, only those that start or
     * started between two times (epoch milliseconds).
     */
    readonly inStatus: (
      accountId: string,
      statuses: ReadonlyArray<CampaignStatus>,
      limit: number,
      starting?: { readonly after: number; readonly before: number }
    ) => Effect.Effect<ReadonlyArray<Campaign>, Unavailable>
    /**
     * The account's campaigns with the statuses that name something, or all of them (null), at most `limit`, in no order. They
     * are returned without their content, which can be megabytes each.
     */
    readonly uses: (
      accountId: string,
      statuses: ReadonlyArray<CampaignStatus>,
      named: CampaignNamed | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<CampaignUse>, Unavailable>
    /**
     * The Sending and Paused campaigns, of an account or of all (null), that have recipients Pending for a reason, or Pending
     * without a reason (null). In no order.
     */
    readonly withWaiting: (
      accountId: string | null,
      reason: RecipientReason | null
    ) => Effect.Effect<ReadonlyArray<CampaignRef>, Unavailable>
    /** Adds a version. */
    readonly addVersion: (added: CampaignVersion) => Effect.Effect<void, Unavailable>
    /** The versions that exist among those asked for, in no order. */
    readonly versions: (
      refs: ReadonlyArray<CampaignVersionRef>
    ) => Effect.Effect<ReadonlyArray<CampaignVersion>, Unavailable>
    /** The subjects of the versions that exist, in no order. For lists, since whole content can be megabytes. */
    readonly subjects: (
      refs: ReadonlyArray<CampaignVersionRef>
    ) => Effect.Effect<ReadonlyArray<VersionSubjects>, Unavailable>
    /** The status of each campaign that exists, by `<account>/<id>`. */
    readonly statuses: (
      refs: ReadonlyArray<CampaignRef>
    ) => Effect.Effect<ReadonlyMap<string, CampaignStatus>, Unavailable>
    /**
     * A campaign with its progress, both locked: neither the progress nor the status changes until the caller's transaction
     * ends. Null for an unknown id. If the campaign has no progress yet, it is created as of `now`.
     */
    readonly lockBatch: (
      accountId: string,
      id: string,
      now: number
    ) => Effect.Effect<
      { readonly campaign: Campaign; readonly progress: CampaignProgress } | null,
      Unavailable
    >
    /** A campaign, with a shared lock: its status does not change until the caller's transaction ends. Null for an unknown id. */
    readonly lockShared: (accountId: string, id: string) => Effect.Effect<Campaign | null, Unavailable>
    /** The progress of a campaign; null before its first batch. */
    readonly progress: (accountId: string, id: string) => Effect.Effect<CampaignProgress | null, Unavailable>
    /** Replaces the progress of a campaign that the caller has locked with `lockBatch`. */
    readonly saveProgress: (changed: CampaignProgress) => Effect.Effect<void, Unavailable>
    /**
     * The Pending recipients that are due at `now`, earliest due first, at most `limit`. With `part`, only those of a part
     * (`core/campaigns/CampaignRules.ts: partOfRecipient`).
     */
    readonly due: (
      accountId: string,
      id: string,
      part: number | null,
      now: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<CampaignRecipient>, Unavailable>
    /**
     * The recipients of the contacts that are still Pending and due at `now`, locked until the caller's transaction ends, in the
     * order of `due`. Recipients that another transaction has locked are left out, so this never waits.
     */
    readonly lockDue: (
      accountId: string,
      id: string,
      contactIds: ReadonlyArray<string>,
      now: number
    ) => Effect.Effect<ReadonlyArray<CampaignRecipient>, Unavailable>
    /**
     * The recipients of a campaign who are Pending until a time in their own time zone, sorted by contact id: those after
     * `after`, at most `limit`.
     */
    readonly waitingByClock: (
      accountId: string,
      id: string,
      after: string | null,
      now: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<CampaignRecipient>, Unavailable>
    /** When the next Pending recipient is due, epoch milliseconds; null if none is Pending. */
    readonly nextDueAt: (accountId: string, id: string) => Effect.Effect<number | null, Unavailable>
    /** By reason, when the first recipient Pending for it is due, epoch milliseconds; without reasons that have no recipient. */
    readonly nextDueBy: (
      accountId: string,
      id: string,
      reasons: ReadonlyArray<RecipientReason>
    ) => Effect.Effect<ReadonlyMap<RecipientReason, number>, Unavailable>
    /** The given address hashes under which a recipient is already Submitted. */
    readonly takenHashes: (
      accountId: string,
      id: string,
      hashes: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * Writes decisions about recipients that are still Pending, and returns the contacts of these.
     * `WriteConflict("campaign_recipients_address")` if an address already has an email of the campaign. One statement.
     */
    readonly decide: (
      accountId: string,
      id: string,
      decisions: ReadonlyArray<RecipientDecision>,
      now: number
    ) => Effect.Effect<ReadonlyArray<string>, WriteConflict | Unavailable>
    /**
     * Makes recipients due that are Pending for a reason, at most `limit`, those due last first. With `variant`, they also get
     * that variant, which won the test for which they wait. Returns how many. One statement.
     */
    readonly release: (
      accountId: string,
      id: string,
      waiting: { readonly reason: RecipientReason; readonly variant: VariantId | null },
      limit: number,
      now: number
    ) => Effect.Effect<number, Unavailable>
    /**
     * Makes recipients Pending again and due, in the order of their contact ids, at most `limit` after `after`. With
     * `isUnrendered`, those who were skipped because the content did not render; with `reasons`, those whose email Failed, or who
     * were skipped, for one of these. Such an email no longer counts as the campaign's. Returns how many, and the last contact.
     * One statement.
     */
    readonly retry: (
      accountId: string,
      id: string,
      what: { readonly isUnrendered: boolean; readonly reasons: ReadonlyArray<DeliveryReason> },
      after: string | null,
      limit: number,
      now: number
    ) => Effect.Effect<{ readonly count: number; readonly last: string | null }, Unavailable>
    /**
     * The latest time at which an email of a campaign's variants was first attempted, epoch milliseconds; null if none was
     * attempted. Reads the attempts of all these emails.
     */
    readonly testedAt: (accountId: string, id: string) => Effect.Effect<number | null, Unavailable>
    /**
     * For each variant, the number of people to whom it was delivered, and how many of them opened it, clicked a link in it or
     * ordered afterwards, before a time (epoch milliseconds) and without machines. Counts the campaign's rows.
     */
    readonly variantResults: (
      accountId: string,
      id: string,
      metric: CampaignTest["metric"],
      until: number
    ) => Effect.Effect<ReadonlyArray<VariantCount>, Unavailable>
    /**
     * The counts of a campaign's emails by a dimension, at most `limit` keys, those with the most emails first. Language and
     * country are those of the contact when the email was submitted. Like `counts`, the result equals a recount at every commit,
     * without counting rows.
     */
    readonly breakdown: (
      accountId: string,
      id: string,
      by: Breakdown,
      limit: number
    ) => Effect.Effect<ReadonlyArray<BreakdownRow>, Unavailable>
    /**
     * The clicked links in a campaign's emails, at most `limit`, those with the most clicks first. Maintained like `counts`,
     * except that the first and last click may be of a person who was erased since.
     */
    readonly linkClicks: (
      accountId: string,
      id: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<LinkCount>, Unavailable>
    /** Cancels Pending recipients, at most `limit`, and returns how many. */
    readonly cancelPending: (
      accountId: string,
      id: string,
      limit: number,
      now: number
    ) => Effect.Effect<number, Unavailable>
    /** A campaign's Queued emails, with a reason or (null) with any, sorted by attempts and id, after a given one. */
    readonly queued: (
      accountId: string,
      id: string,
      reason: DeliveryReason | null,
      after: Pick<Delivery, "attempts" | "id"> | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /** The number of a campaign's emails that were not attempted yet, by domain. Like `counts`, without reading emails. */
    readonly untriedByDomain: (
      accountId: string,
      id: string
    ) => Effect.Effect<ReadonlyMap<string, number>, Unavailable>
    /** A campaign's emails that are held for review, at most `limit`. */
    readonly inReview: (
      accountId: string,
      id: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /**
     * The counts of campaigns by name, in the order of the ids; `core/campaigns/CampaignRules.ts: countsOf` reads them. At every
     * commit they equal a recount, but no rows are counted.
     */
    readonly counts: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<ReadonlyMap<string, number>>, Unavailable>
    /** Counts the rows of a campaign. For checks only, since its duration grows with the number of rows. */
    readonly recount: (
      accountId: string,
      id: string
    ) => Effect.Effect<ReadonlyMap<string, number>, Unavailable>
    /** Sums the recorded changes of a campaign's counts, so that reads stay fast. */
    readonly compact: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
    /** The recipients of a campaign that pass a filter, sorted by contact id. */
    readonly recipients: (
      accountId: string,
      id: string,
      filter: RecipientFilter,
      page: PageRequest
    ) => Effect.Effect<Page<CampaignRecipient>, Unavailable>
    /**
     * What happened with emails of campaigns, in no order. Emails that were neither opened nor clicked, and that no order
     * followed, are left out. One read.
     */
    readonly results: (
      accountId: string,
      deliveryIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<RecipientResult>, Unavailable>
    /** The recipient of a contact; null if the campaign has none. */
    readonly recipient: (
      accountId: string,
      id: string,
      contactId: string
    ) => Effect.Effect<CampaignRecipient | null, Unavailable>
    /**
     * Makes the contacts' recipients due, in all campaigns of the account, if they are Pending until a time in their own time
     * zone, since their time zones may have changed. For those who wait for a local time, the change is recorded (`movedAt`)
     * until they are decided. Recipients about which another transaction is deciding are left out. One statement.
     */
    readonly reconsider: (
      accountId: string,
      contactIds: ReadonlyArray<string>,
      now: number
    ) => Effect.Effect<void, Unavailable>
    /** Deletes the contacts' recipients from all campaigns of the account, as part of erasing them. One statement. */
    readonly erase: (accountId: string, contactIds: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/CampaignStore") {}
