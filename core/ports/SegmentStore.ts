/**
 * Stores segments and evaluates their definitions.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { FrequencyCap } from "../model/Account.ts"
import type { VariantId } from "../model/Campaign.ts"
import type { Contact } from "../model/Contact.ts"
import type { Segment, SegmentSize } from "../model/Segment.ts"
import type { SegmentDefinition } from "../model/SegmentDefinition.ts"
import type { ConsentSource, ConsentStatus } from "../model/Consent.ts"
import type { SuppressionKind } from "../model/Suppression.ts"
import type { Among, Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** How many contacts a definition selects, and how many of those may get marketing email. */
export interface SegmentCount {
  readonly count: number
  /** Consent Subscribed or SoftOptIn, and not suppressed. */
  readonly sendableCount: number
}

/** Counts of definitions, all of one state of the audience. */
export interface SegmentCounts {
  /** The marks of that state. */
  readonly marks: string
  /** In the order of the definitions. */
  readonly counts: ReadonlyArray<SegmentCount>
}

/** Contacts of one state of the audience. */
export interface ShownContacts {
  /** The marks of that state. */
  readonly marks: string
  readonly contacts: ReadonlyArray<Contact>
}

/** A page of contacts, with the marks of the state of the audience that it shows. */
export interface ContactPage extends Page<Contact> {
  readonly marks: string
}

/** The most definitions of a filter of contacts. */
export const maxFiltered = 8

/** A topic that a contact must have, or must not have. */
export interface TopicTest {
  readonly id: string
  /** Whether a contact that never chose has it. */
  readonly defaultOn: boolean
  readonly on: boolean
}

/** People whom any of some definitions selects and none of others. */
export interface SelectedPeople {
  /** At least one. */
  readonly include: ReadonlyArray<SegmentDefinition>
  readonly exclude: ReadonlyArray<SegmentDefinition>
}

/** Contacts that are alike in what decides on their time zone. */
export interface ZoneGroup {
  /** The text of the attribute that was asked for; null where it is none, or none was asked for. */
  readonly own: string | null
  readonly countryCode: string | null
  readonly count: number
}

/** What decides on a person's time zone; see {@link ZoneGroup}. */
export type ZoneKey = Omit<ZoneGroup, "count">

/** How the people of a campaign become its recipients, as `core/campaigns/AudienceRules.ts: recipientOf` reads it. */
export interface RecipientPlan {
  readonly campaignId: string
  /** When each is due, epoch milliseconds; null for those whose time has passed, who are skipped. */
  readonly dueAt:
    | number
    | {
        /** The key of the attribute that names a time zone; null for none. */
        readonly attribute: string | null
        readonly of: (zone: ZoneKey) => number | null
      }
  /** Null without a test. */
  readonly test: {
    /** The variants with the hash slot that each ends before, in ascending order; those behind the last get the winner. */
    readonly variants: ReadonlyArray<{ readonly id: VariantId; readonly below: number }>
    /** When those who get the winner are due, epoch milliseconds. */
    readonly restAt: number
  } | null
  /** Who opened or clicked since then comes first, epoch milliseconds; null for no order. */
  readonly engagedSince: number | null
}

/** A part of the audience of a campaign. */
export interface AudiencePart {
  readonly chosen: SelectedPeople
  readonly plan: RecipientPlan
  /** What rules are relative to, and until when contacts were added, epoch milliseconds. */
  readonly asOf: number
  /** Behind which contact the part begins; null for the first. */
  readonly after: string | null
  /** How many contacts it has, whether they are selected or not. */
  readonly size: number
}

/** The most groups that `zones` returns. */
export const maxZoneGroups = 2_000

/** Contacts that are alike in what decides whether they get marketing email. */
export interface ReachGroup {
  readonly consentStatus: ConsentStatus
  /** Whether they have an address. */
  readonly hasAddress: boolean
  /** Null where the address is not suppressed. */
  readonly suppression: SuppressionKind | null
  /** Whether they have the topic that was asked for; true where none was. */
  readonly hasTopic: boolean
  readonly count: number
}

/** Contacts who came into the segment of a flow, or out of it, by id. */
export interface MemberChanges {
  readonly entered: ReadonlyArray<string>
  readonly left: ReadonlyArray<string>
}

/** A field whose values are looked up, to complete what a person types. */
export type CompletedField =
  | { readonly _tag: "Column"; readonly column: "city" | "countryCode" | "language" }
  | { readonly _tag: "Tags" }
  | { readonly _tag: "Attribute"; readonly key: string; readonly isList: boolean }
  /** The names of timeline entries. */
  | { readonly _tag: "Events" }

/** How many of the newest contacts, or timeline entries, `values` looks at. */
export const maxLooked = 10_000

/** The most values that `values` returns. */
export const maxCompleted = 500

/** Which contacts a list shows, by the time they were added too. */
export interface ContactFilter extends TimeRange {
  /** At most `maxFiltered` definitions, one of which must select the contact. */
  readonly segment?: Among<SegmentDefinition>
  /** None of these must select the contact. */
  readonly outside?: ReadonlyArray<SegmentDefinition>
  readonly consentStatus?: Among<ConsentStatus>
  readonly topic?: Among<TopicTest>
  readonly tag?: Among<string>
  readonly storeId?: Among<string>
  /** The origin of the contact's consent. */
  readonly source?: Among<ConsentSource>
  readonly country?: Among<string>
  readonly language?: Among<string>
  /** Epoch milliseconds, as the next two. */
  readonly lastEmailedSince?: number | null
  readonly lastOpenSince?: number | null
  readonly lastClickSince?: number | null
  readonly suppressed?: boolean | null
  /** Found in address, name, external id or phone, as `ContactFilters.ts: isFound` says; in the form of `foldCase`. */
  readonly q?: string | null
}

/** The port of segments and their evaluation. */
export class SegmentStore extends Context.Service<
  SegmentStore,
  {
    readonly insert: (segment: Segment) => Effect.Effect<void, Unavailable>
    /** The account's own segments, oldest first; built-in ones are not stored. */
    readonly list: (accountId: string) => Effect.Effect<ReadonlyArray<Segment>, Unavailable>
    /** Replaces name, description and definition. */
    readonly save: (segment: Segment) => Effect.Effect<void, Unavailable>
    /** Deletes a segment with its sizes, and returns it; null when the account has none with that id. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<Segment | null, Unavailable>
    /** Stores sizes in place of those of the same segment and day. */
    readonly saveSizes: (sizes: ReadonlyArray<SegmentSize>) => Effect.Effect<void, Unavailable>
    /** The sizes of days from `since` (epoch milliseconds) on, of one segment or of all for null, oldest day first. */
    readonly sizes: (
      accountId: string,
      segmentId: string | null,
      since: number
    ) => Effect.Effect<ReadonlyArray<SegmentSize>, Unavailable>
    /**
     * The accounts of companies that are not deleted, by id, which have contacts and no size of a day; at most `limit`, with
     * ids after `after`.
     */
    readonly unsized: (
      day: number,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Deletes at most `limit` sizes of days before a time (epoch milliseconds); returns how many. */
    readonly pruneSizes: (before: number, limit: number) => Effect.Effect<number, Unavailable>
    /**
     * The marks of the account's audience: every commit that changes its contacts, their timelines, its suppression list or its
     * segments gives it marks that it never had before. A cheap look-up.
     */
    readonly marks: (accountId: string) => Effect.Effect<string, Unavailable>
    /**
     * Records as the members of a flow exactly the contacts whom a definition selects at `now`; none for null. Part of the
     * caller's transaction.
     */
    readonly setMembers: (
      accountId: string,
      flowId: string,
      definition: SegmentDefinition | null,
      now: number
    ) => Effect.Effect<void, Unavailable>
    /**
     * How the contacts whom a definition selects at `now` differ from the members of a flow: the first of each by id, at most
     * `limit`.
     */
    readonly memberChanges: (
      accountId: string,
      flowId: string,
      definition: SegmentDefinition,
      limit: number,
      now: number
    ) => Effect.Effect<MemberChanges, Unavailable>
    /**
     * Adds and removes members of a flow, in the caller's transaction; returns those that were none, or were some, before: of
     * two callers at the same time one gets each.
     */
    readonly moveMembers: (
      accountId: string,
      flowId: string,
      changes: MemberChanges
    ) => Effect.Effect<MemberChanges, Unavailable>
    /** Removes contacts from the members of all flows: part of erasing them. One statement. */
    readonly eraseMembers: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<void, Unavailable>
    /** Exact counts of each definition at `now`, in one pass over the contacts, with the marks of the state that was counted. */
    readonly count: (
      accountId: string,
      definitions: ReadonlyArray<SegmentDefinition>,
      now: number
    ) => Effect.Effect<SegmentCounts, Unavailable>
    /**
     * How many contacts are selected at `now`, by what decides whether they get marketing email, of a topic or of
     * none. Groups without contacts are left out; the order is any.
     */
    readonly reach: (
      accountId: string,
      chosen: SelectedPeople,
      topic: Pick<TopicTest, "defaultOn" | "id"> | null,
      now: number
    ) => Effect.Effect<ReadonlyArray<ReachGroup>, Unavailable>
    /**
     * How many contacts are selected at `now`, by what decides on their time zone: an attribute, by its key, and the country.
     * Those with the most contacts first, at most `maxZoneGroups`.
     */
    readonly zones: (
      accountId: string,
      chosen: SelectedPeople,
      attribute: string | null,
      now: number
    ) => Effect.Effect<ReadonlyArray<ZoneGroup>, Unavailable>
    /**
     * How many contacts are selected at `now` who may get marketing email, and to whom as much was submitted as one of the caps
     * allows: emails that were suppressed or cancelled do not count.
     */
    readonly capped: (
      accountId: string,
      chosen: SelectedPeople,
      caps: ReadonlyArray<FrequencyCap>,
      now: number
    ) => Effect.Effect<number, Unavailable>
    /**
     * Adds those of a part of the contacts, by id, who are selected as recipients of a campaign, except people whom it has: a
     * unique constraint. Returns the last contact of the part; null where the contacts ended before its size. Part of the caller's
     * transaction; the number of statements is fixed, and no contact is read into the process.
     */
    readonly addRecipients: (
      accountId: string,
      part: AudiencePart
    ) => Effect.Effect<string | null, Unavailable>
    /**
     * The values that a field has in the newest `maxLooked` contacts, erased ones left out, or timeline entries: the most
     * frequent first, equally frequent ones in their order, at most `maxCompleted`, none of them empty.
     */
    readonly values: (
      accountId: string,
      field: CompletedField
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * The contacts that pass a filter at `now`, erased ones left out, by addedAt and then by id, or with the order
     * `lastActivity` by what `ContactFilters.ts: lastActivityOf` returns and then by id.
     */
    readonly find: (
      accountId: string,
      filter: ContactFilter,
      page: PageRequest,
      now: number
    ) => Effect.Effect<Page<Contact>, Unavailable>
    /**
     * The contacts a definition selects at `now`, newest first by addedAt, then by id; all of them for null. By
     * page number alone.
     */
    readonly contacts: (
      accountId: string,
      definition: SegmentDefinition | null,
      page: PageRequest,
      now: number
    ) => Effect.Effect<ContactPage, Unavailable>
    /** Those of some contacts that are not erased, in the order of the ids. A cheap look-up. */
    readonly shown: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ShownContacts, Unavailable>
  }
>()("svc/ports/SegmentStore") {}
