/**
 * Stores campaigns, their versions, their progress and their recipients, and counts these and their emails.
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

/** The subjects of a version and of what variants and languages have instead, as they are written. */
export interface VersionSubjects extends Pick<CampaignVersion, "campaignId" | "subject" | "version"> {
  readonly parts: ReadonlyArray<Pick<VersionPart, "language" | "subject" | "variant">> | null
}

/** Which campaigns a list shows; the times are those of their creation. */
export interface CampaignFilter extends TimeRange {
  readonly status?: Among<CampaignStatus>
  readonly isArchived?: boolean | null
  /** Whether only drafts and paused campaigns are shown whose approval is requested. */
  readonly isApprovalRequested?: boolean
  /** Shows only those that are current: Sending, Paused or waiting for an approval, and those Sent at this time or later. */
  readonly currentSince?: number | null
  readonly tag?: Among<string>
  /** The keys of topics. */
  readonly topic?: Among<string>
  /** The ids of segments of which people are included. */
  readonly segment?: Among<string>
  /** A part of the name, or of the subject of content that no template has; upper and lower case are the same. */
  readonly q?: string | null
}

/** A link in the emails of a version, or of one of its variants. */
export interface RecipientLink {
  readonly version: number
  /** Null without a test. */
  readonly variant: VariantId | null
  /** The link's name among those of its email (`Visit.link`). */
  readonly link: string
}

/** Which recipients a list shows. What is about emails leaves out who got none. */
export interface RecipientFilter {
  readonly state?: Among<RecipientState>
  readonly reason?: Among<RecipientReason>
  readonly variant?: Among<VariantId>
  readonly version?: Among<number>
  /** The status of the email. */
  readonly status?: Among<DeliveryStatus>
  readonly opened?: Among<VisitedBy>
  readonly clicked?: Among<VisitedBy>
  /** Links of which one was clicked. */
  readonly links?: ReadonlyArray<RecipientLink> | null
  /** Whether an order followed a click in the email. */
  readonly isConverted?: boolean | null
  /** Whether the person unsubscribed by a link of the email. */
  readonly isUnsubscribed?: boolean | null
  /** The beginning of the address, in lower case. */
  readonly q?: string | null
}

/** What became of the email of a recipient, besides its delivery. */
export interface RecipientResult {
  readonly deliveryId: string
  readonly openedBy: VisitedBy
  readonly clickedBy: VisitedBy
  /** The names of the links that were clicked, by whomever; see `RecipientLink`. */
  readonly links: ReadonlyArray<string>
  readonly conversions: number
}

/** What became of a variant: people it was delivered to, and those of them who opened or clicked. */
export interface VariantCount {
  readonly variant: VariantId
  readonly delivered: number
  readonly reached: number
}

/** The keys by which the emails of a campaign are counted. Times are UTC. */
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

/** What is counted of the emails of a campaign that have a key. */
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

/** Emails of a campaign by a key; null for those without one. */
export type BreakdownRow = { readonly key: string | null } & Readonly<
  Record<(typeof breakdownCounts)[number], number>
>

/** The clicks of a link in the emails of a version, or of one of its variants. */
export interface LinkCount {
  readonly version: number
  /** Null without a test. */
  readonly variant: VariantId | null
  /** The link's name among those of its email (`Visit.link`), or `furtherLinks`. */
  readonly link: string
  /** Emails by who clicked it: each once, by the verdict that speaks most for a person. */
  readonly human: number
  readonly unknown: number
  readonly machine: number
  /** All clicks, those of machines too. */
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
     * A campaign, locked until the caller's transaction ends; null for an unknown id. It waits for the batches and the last
     * bytes of emails of the campaign that are being decided, which then see what the caller wrote.
     */
    readonly lock: (accountId: string, id: string) => Effect.Effect<Campaign | null, Unavailable>
    /** Replaces a campaign. */
    readonly save: (changed: Campaign) => Effect.Effect<void, Unavailable>
    /** Deletes a campaign with its versions, progress and recipients. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
    /**
     * The account's campaigns that pass a filter, newest first, or with the orders `updated`, `started` and `name` by when they were
     * changed or started, those that never were first, and by their names in the form of `foldCase`; then by id.
     */
    readonly list: (
      accountId: string,
      filter: CampaignFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Campaign>, Unavailable>
    /** How many campaigns an account has, and how many of a status. */
    readonly count: (accountId: string, status: CampaignStatus | null) => Effect.Effect<number, Unavailable>
    /** The campaign with a slug in the archive; null where none has it. */
    readonly bySlug: (accountId: string, slug: string) => Effect.Effect<Campaign | null, Unavailable>
    /** The campaigns of the archive: those that are public and were sent, by the time they started, newest first. */
    readonly archived: (
      accountId: string,
      limit: number,
      offset: number
    ) => Effect.Effect<ReadonlyArray<Campaign>, Unavailable>
    /**
     * The account's campaigns with those statuses, at most `limit`, the newest first; with `starting` those that start or started
     * between two times (epoch milliseconds).
     */
    readonly inStatus: (
      accountId: string,
      statuses: ReadonlyArray<CampaignStatus>,
      limit: number,
      starting?: { readonly after: number; readonly before: number }
    ) => Effect.Effect<ReadonlyArray<Campaign>, Unavailable>
    /**
     * Those of the account's campaigns with those statuses that name something, or all (null), at most `limit`, in no order; without
     * what they send, which can be megabytes of each.
     */
    readonly uses: (
      accountId: string,
      statuses: ReadonlyArray<CampaignStatus>,
      named: CampaignNamed | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<CampaignUse>, Unavailable>
    /**
     * The campaigns that are Sending or Paused, of an account or of all, with recipients who are Pending for a reason, or without one
     * (null), in no order.
     */
    readonly withWaiting: (
      accountId: string | null,
      reason: RecipientReason | null
    ) => Effect.Effect<ReadonlyArray<CampaignRef>, Unavailable>
    /** Adds a version. */
    readonly addVersion: (added: CampaignVersion) => Effect.Effect<void, Unavailable>
    /** Those of the versions that exist, in no order. */
    readonly versions: (
      refs: ReadonlyArray<CampaignVersionRef>
    ) => Effect.Effect<ReadonlyArray<CampaignVersion>, Unavailable>
    /** The subjects of those of the versions that exist, in no order: for lists, since content can be megabytes. */
    readonly subjects: (
      refs: ReadonlyArray<CampaignVersionRef>
    ) => Effect.Effect<ReadonlyArray<VersionSubjects>, Unavailable>
    /** The status of those campaigns that exist, by `<account>/<id>`. */
    readonly statuses: (
      refs: ReadonlyArray<CampaignRef>
    ) => Effect.Effect<ReadonlyMap<string, CampaignStatus>, Unavailable>
    /**
     * A campaign with its progress, both locked: neither the progress nor the status changes until the caller's
     * transaction ends. Null for an unknown id. A campaign without progress gets it, as of `now`.
     */
    readonly lockBatch: (
      accountId: string,
      id: string,
      now: number
    ) => Effect.Effect<
      { readonly campaign: Campaign; readonly progress: CampaignProgress } | null,
      Unavailable
    >
    /** A campaign whose status does not change until the caller's transaction ends; null for an unknown id. */
    readonly lockShared: (accountId: string, id: string) => Effect.Effect<Campaign | null, Unavailable>
    /** The progress of a campaign; null before its first batch. */
    readonly progress: (accountId: string, id: string) => Effect.Effect<CampaignProgress | null, Unavailable>
    /** Replaces the progress of a campaign that the caller has locked by `lockBatch`. */
    readonly saveProgress: (changed: CampaignProgress) => Effect.Effect<void, Unavailable>
    /**
     * Pending recipients that are due at `now`, those due first first, at most `limit`: of a part
     * (`core/campaigns/CampaignRules.ts: partOfRecipient`), or of all.
     */
    readonly due: (
      accountId: string,
      id: string,
      part: number | null,
      now: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<CampaignRecipient>, Unavailable>
    /**
     * The recipients of contacts that are still pending and due at `now`, locked until the caller's transaction ends, in the order of
     * `due`; without those whom another transaction has locked. Waits for none.
     */
    readonly lockDue: (
      accountId: string,
      id: string,
      contactIds: ReadonlyArray<string>,
      now: number
    ) => Effect.Effect<ReadonlyArray<CampaignRecipient>, Unavailable>
    /**
     * The recipients of a campaign who are Pending until a time on their clocks, by the ids of their contacts: those after `after`, at
     * most `limit`.
     */
    readonly waitingByClock: (
      accountId: string,
      id: string,
      after: string | null,
      now: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<CampaignRecipient>, Unavailable>
    /** When the next pending recipient is due, epoch milliseconds; null where none is pending. */
    readonly nextDueAt: (accountId: string, id: string) => Effect.Effect<number | null, Unavailable>
    /** When the first of those are due who are pending for reasons, epoch milliseconds; without the reasons of none. */
    readonly nextDueBy: (
      accountId: string,
      id: string,
      reasons: ReadonlyArray<RecipientReason>
    ) => Effect.Effect<ReadonlyMap<RecipientReason, number>, Unavailable>
    /** Those of the hashes under which a recipient is submitted. */
    readonly takenHashes: (
      accountId: string,
      id: string,
      hashes: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * Writes what became of recipients that are still Pending, and returns the contacts of those. `WriteConflict` of
     * `campaign_recipients_address` where an address has an email of the campaign already. One statement.
     */
    readonly decide: (
      accountId: string,
      id: string,
      decisions: ReadonlyArray<RecipientDecision>,
      now: number
    ) => Effect.Effect<ReadonlyArray<string>, WriteConflict | Unavailable>
    /**
     * Makes recipients due who are Pending for a reason, at most `limit`, the latest first: with a variant where it is given, the
     * one that won the test they wait for. Returns how many. One statement.
     */
    readonly release: (
      accountId: string,
      id: string,
      waiting: { readonly reason: RecipientReason; readonly variant: VariantId | null },
      limit: number,
      now: number
    ) => Effect.Effect<number, Unavailable>
    /**
     * Makes recipients Pending again and due, by the ids of their contacts, those after `after`, at most `limit`: those who were
     * skipped since the content did not render, those whose email Failed for one of `reasons`, or both. Such an email is no longer
     * counted as the campaign's. Returns how many, and the last of their contacts. One statement.
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
     * When the last email of a campaign's variants was attempted for the first time, epoch milliseconds; null where none was. Reads the
     * attempts of all of them.
     */
    readonly testedAt: (accountId: string, id: string) => Effect.Effect<number | null, Unavailable>
    /**
     * How many people each variant was delivered to, and how many of them opened it, clicked a link of it or ordered after that
     * before a time (epoch milliseconds), machines left out. Counts the rows of the campaign.
     */
    readonly variantResults: (
      accountId: string,
      id: string,
      metric: CampaignTest["metric"],
      until: number
    ) => Effect.Effect<ReadonlyArray<VariantCount>, Unavailable>
    /**
     * The emails of a campaign by what tells them apart, at most `limit` keys, those with the most emails first. Language and
     * country are those of the contact when the email was submitted. As `counts`: a recount at every commit, and no rows are
     * counted.
     */
    readonly breakdown: (
      accountId: string,
      id: string,
      by: Breakdown,
      limit: number
    ) => Effect.Effect<ReadonlyArray<BreakdownRow>, Unavailable>
    /**
     * The links that were clicked in a campaign's emails, at most `limit`, those with the most clicks first. As `counts`; the
     * first and the last click may be of someone who was erased since.
     */
    readonly linkClicks: (
      accountId: string,
      id: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<LinkCount>, Unavailable>
    /** Cancels pending recipients, at most `limit`, and returns how many. */
    readonly cancelPending: (
      accountId: string,
      id: string,
      limit: number,
      now: number
    ) => Effect.Effect<number, Unavailable>
    /** Emails of a campaign that are Queued, with a reason or with any, by their attempts and id, after one of them. */
    readonly queued: (
      accountId: string,
      id: string,
      reason: DeliveryReason | null,
      after: Pick<Delivery, "attempts" | "id"> | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /** How many emails of a campaign that were not attempted yet go to each domain. As `counts`: no rows of emails are read. */
    readonly untriedByDomain: (
      accountId: string,
      id: string
    ) => Effect.Effect<ReadonlyMap<string, number>, Unavailable>
    /** Emails of a campaign that are held for review, at most `limit`. */
    readonly inReview: (
      accountId: string,
      id: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /**
     * The counts of campaigns by their names, as `core/campaigns/CampaignRules.ts: countsOf` reads them, in the order of the
     * ids. They are those of a recount at every commit, and no rows are counted.
     */
    readonly counts: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<ReadonlyMap<string, number>>, Unavailable>
    /** Counts the rows of a campaign: for checks, since it takes as long as there are rows. */
    readonly recount: (
      accountId: string,
      id: string
    ) => Effect.Effect<ReadonlyMap<string, number>, Unavailable>
    /** Adds up what changed the counts of a campaign, so that reads stay short. */
    readonly compact: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
    /** The recipients of a campaign that pass a filter, by the id of their contact. */
    readonly recipients: (
      accountId: string,
      id: string,
      filter: RecipientFilter,
      page: PageRequest
    ) => Effect.Effect<Page<CampaignRecipient>, Unavailable>
    /**
     * What became of emails of campaigns, in no order; without those that were neither opened nor clicked, and that no order
     * followed. One read.
     */
    readonly results: (
      accountId: string,
      deliveryIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<RecipientResult>, Unavailable>
    /** A recipient; null where the campaign has none of that contact. */
    readonly recipient: (
      accountId: string,
      id: string,
      contactId: string
    ) => Effect.Effect<CampaignRecipient | null, Unavailable>
    /**
     * Makes recipients due, of all campaigns of the account, who are Pending until a time on their clocks: their time zones may be
     * others now. Of those who wait for a local time it is written down (`movedAt`), until they are decided on. Those that another
     * transaction decides on are left out. One statement.
     */
    readonly reconsider: (
      accountId: string,
      contactIds: ReadonlyArray<string>,
      now: number
    ) => Effect.Effect<void, Unavailable>
    /** Deletes the recipients of contacts from all campaigns of the account: part of erasing them. One statement. */
    readonly erase: (accountId: string, contactIds: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/CampaignStore") {}
