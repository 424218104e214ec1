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

/** The number of contacts that a definition selects, and of those that may get marketing email. */
export interface SegmentCount {
  readonly count: number
  /** The contacts whose consent is Subscribed or SoftOptIn and whose address is not suppressed. */
  readonly sendableCount: number
}

/** Counts of definitions, all for the same state of the audience. */
export interface SegmentCounts {
  /** The marks of that state; see `SegmentStore.marks`. */
  readonly marks: string
  /** In the order of the definitions. */
  readonly counts: ReadonlyArray<SegmentCount>
}

/** Contacts, all as of one state of the audience. */
export interface ShownContacts {
  /** The marks of that state. */
  readonly marks: string
  readonly contacts: ReadonlyArray<Contact>
}

/** A page of contacts, with the marks of the audience state that it shows. */
export interface ContactPage extends Page<Contact> {
  readonly marks: string
}

/** The most definitions in a filter of contacts. */
export const maxFiltered = 8

/** A condition on whether a contact has a topic on. */
export interface TopicTest {
  readonly id: string
  /** Whether the topic is on for contacts who never chose. */
  readonly defaultOn: boolean
  readonly on: boolean
}

/** The people who are selected by at least one definition and by none of the excluded ones. */
export interface SelectedPeople {
  /** At least one. */
  readonly include: ReadonlyArray<SegmentDefinition>
  readonly exclude: ReadonlyArray<SegmentDefinition>
}

/** A group of contacts with equal values in everything that determines their time zone. */
export interface ZoneGroup {
  /** The value of the attribute, if it is text; null if it is not, or if no attribute was given. */
  readonly own: string | null
  readonly countryCode: string | null
  readonly count: number
}

/** The values that determine a person's time zone; see {@link ZoneGroup}. */
export type ZoneKey = Omit<ZoneGroup, "count">

/** How the selected people become recipients of a campaign; `core/campaigns/AudienceRules.ts: recipientOf` applies it. */
export interface RecipientPlan {
  readonly campaignId: string
  /** When each person is due, epoch milliseconds. Null for people whose time has passed, who are skipped. */
  readonly dueAt:
    | number
    | {
        /** The key of the attribute that names a time zone; null for none. */
        readonly attribute: string | null
        readonly of: (zone: ZoneKey) => number | null
      }
  /** The test of the campaign; null without one. */
  readonly test: {
    /** Each variant with the end (exclusive) of its range of hash slots, ascending. People in later slots get the winner. */
    readonly variants: ReadonlyArray<{ readonly id: VariantId; readonly below: number }>
    /** When the people who get the winner are due, epoch milliseconds. */
    readonly restAt: number
  } | null
  /** People who opened or clicked since this time come first, epoch milliseconds; null for no such order. */
  readonly engagedSince: number | null
}

/** A part of a campaign's audience. */
export interface AudiencePart {
  readonly chosen: SelectedPeople
  readonly plan: RecipientPlan
  /** The time to which rules are relative and until which contacts were added, epoch milliseconds. */
  readonly asOf: number
  /** The contact after which the part begins; null for the first part. */
  readonly after: string | null
  /** The number of contacts in the part, selected or not. */
  readonly size: number
}

/** The most groups that `zones` returns. */
export const maxZoneGroups = 2_000

/** A group of contacts with equal values in everything that determines whether they get marketing email. */
export interface ReachGroup {
  readonly consentStatus: ConsentStatus
  /** Whether they have an address. */
  readonly hasAddress: boolean
  /** Null if the address is not suppressed. */
  readonly suppression: SuppressionKind | null
  /** Whether they have the given topic on; true if no topic was given. */
  readonly hasTopic: boolean
  readonly count: number
}

/** The contacts who entered or left the segment of a flow, by id. */
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

/** The number of newest contacts, or timeline entries, that `values` examines. */
export const maxLooked = 10_000

/** The most values that `values` returns. */
export const maxCompleted = 500

/** Which contacts a list shows. A range of times applies to when they were added. */
export interface ContactFilter extends TimeRange {
  /** At most `maxFiltered` definitions, at least one of which must select the contact. */
  readonly segment?: Among<SegmentDefinition>
  /** Definitions none of which may select the contact. */
  readonly outside?: ReadonlyArray<SegmentDefinition>
  readonly consentStatus?: Among<ConsentStatus>
  readonly topic?: Among<TopicTest>
  readonly tag?: Among<string>
  readonly storeId?: Among<string>
  /** The origin of the contact's consent. */
  readonly source?: Among<ConsentSource>
  readonly country?: Among<string>
  readonly language?: Among<string>
  /** Epoch milliseconds, like the next two. */
  readonly lastEmailedSince?: number | null
  readonly lastOpenSince?: number | null
  readonly lastClickSince?: number | null
  readonly suppressed?: boolean | null
  /** Matches address, name, external id or phone as defined by `ContactFilters.ts: isFound`; in the form of `foldCase`. */
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
    /** Deletes a segment with its sizes and returns it; null if the account has none with the id. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<Segment | null, Unavailable>
    /** Stores sizes, replacing those of the same segment and day. */
    readonly saveSizes: (sizes: ReadonlyArray<SegmentSize>) => Effect.Effect<void, Unavailable>
    /** The sizes of days from `since` (epoch milliseconds) on, of one segment or (null) of all, oldest day first. */
    readonly sizes: (
      accountId: string,
      segmentId: string | null,
      since: number
    ) => Effect.Effect<ReadonlyArray<SegmentSize>, Unavailable>
    /**
     * The accounts, by id, that have contacts but no size for a day, and whose company is not deleted; at most `limit`, with ids
     * after `after`.
     */
    readonly unsized: (
      day: number,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Deletes at most `limit` sizes of days before a time (epoch milliseconds); returns how many. */
    readonly pruneSizes: (before: number, limit: number) => Effect.Effect<number, Unavailable>
    /**
     * The marks of the account's audience: a string that identifies its state. Every commit that changes the account's contacts,
     * their timelines, its suppression list or its segments results in marks that it never had before. A cheap look-up.
     */
    readonly marks: (accountId: string) => Effect.Effect<string, Unavailable>
    /**
     * Records the contacts whom a definition selects at `now` as the only members of a flow; with null, no contact is a member.
     * Part of the caller's transaction.
     */
    readonly setMembers: (
      accountId: string,
      flowId: string,
      definition: SegmentDefinition | null,
      now: number
    ) => Effect.Effect<void, Unavailable>
    /**
     * The differences between the contacts whom a definition selects at `now` and the recorded members of a flow: those who
     * entered and those who left, each by id, at most `limit`.
     */
    readonly memberChanges: (
      accountId: string,
      flowId: string,
      definition: SegmentDefinition,
      limit: number,
      now: number
    ) => Effect.Effect<MemberChanges, Unavailable>
    /**
     * Adds and removes members of a flow, in the caller's transaction. Returns the contacts whose membership this call changed:
     * of two concurrent callers, only one gets each contact.
     */
    readonly moveMembers: (
      accountId: string,
      flowId: string,
      changes: MemberChanges
    ) => Effect.Effect<MemberChanges, Unavailable>
    /** Removes contacts from the members of all flows, as part of erasing them. One statement. */
    readonly eraseMembers: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<void, Unavailable>
    /** Exact counts of each definition at `now`, in one pass over the contacts, with the marks of the counted state. */
    readonly count: (
      accountId: string,
      definitions: ReadonlyArray<SegmentDefinition>,
      now: number
    ) => Effect.Effect<SegmentCounts, Unavailable>
    /**
     * The number of contacts selected at `now`, grouped by what determines whether they get marketing email, for a topic or
     * without one. Groups without contacts are left out; the order is arbitrary.
     */
    readonly reach: (
      accountId: string,
      chosen: SelectedPeople,
      topic: Pick<TopicTest, "defaultOn" | "id"> | null,
      now: number
    ) => Effect.Effect<ReadonlyArray<ReachGroup>, Unavailable>
    /**
     * The number of contacts selected at `now`, grouped by what determines their time zone: an attribute, given by its key, and
     * the country. The largest groups first, at most `maxZoneGroups`.
     */
    readonly zones: (
      accountId: string,
      chosen: SelectedPeople,
      attribute: string | null,
      now: number
    ) => Effect.Effect<ReadonlyArray<ZoneGroup>, Unavailable>
    /**
     * The number of contacts selected at `now` who may get marketing email but have reached one of the frequency caps. Emails
     * that were suppressed or cancelled do not count.
     */
    readonly capped: (
      accountId: string,
      chosen: SelectedPeople,
      caps: ReadonlyArray<FrequencyCap>,
      now: number
    ) => Effect.Effect<number, Unavailable>
    /**
     * Adds the selected contacts of a part, in the order of their ids, as recipients of a campaign, except people who already are
     * (a unique constraint). Returns the last contact of the part; null if the contacts ended before its size. Part of the
     * caller's transaction. The number of statements is fixed, and no contact is read into the process.
     */
    readonly addRecipients: (
      accountId: string,
      part: AudiencePart
    ) => Effect.Effect<string | null, Unavailable>
    /**
     * The values of a field in the newest `maxLooked` contacts (without erased ones) or timeline entries. The most frequent come
     * first, equally frequent ones in their sort order; at most `maxCompleted`, none of them empty.
     */
    readonly values: (
      accountId: string,
      field: CompletedField
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * The contacts that pass a filter at `now`, without erased ones, sorted by addedAt and then by id; with the order
     * `lastActivity`, by the result of `ContactFilters.ts: lastActivityOf` and then by id.
     */
    readonly find: (
      accountId: string,
      filter: ContactFilter,
      page: PageRequest,
      now: number
    ) => Effect.Effect<Page<Contact>, Unavailable>
    /**
     * The contacts that a definition selects at `now`, or (null) all, newest first by addedAt, then by id. Only by page number.
     */
    readonly contacts: (
      accountId: string,
      definition: SegmentDefinition | null,
      page: PageRequest,
      now: number
    ) => Effect.Effect<ContactPage, Unavailable>
    /** The given contacts that are not erased, in the order of the ids. A cheap look-up. */
    readonly shown: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ShownContacts, Unavailable>
  }
>()("svc/ports/SegmentStore") {}
