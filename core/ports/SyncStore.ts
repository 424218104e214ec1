/**
 * Stores which events of connected stores were received, including those that were not accepted, and how recent the data of each
 * customer and product is.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { FailedEvent, KeptEvent, ReceivedEvent, ReceivedStatus } from "../model/ReceivedEvent.ts"
import type { Among, Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The kinds of records, besides orders and carts, that stores identify. */
export type SyncedKind = "Customer" | "Product"

/** A customer or product of a store. */
export interface SyncedRecord {
  readonly kind: SyncedKind
  /** The store's id, unique within the kind and the store. */
  readonly externalId: string
  /** The contact of a customer; null for a product. */
  readonly contactId: string | null
  /** The store's time of the stored data, epoch milliseconds; older updates are ignored. */
  readonly sourceUpdatedAt: number
}

/** Which of a store's events a list shows. */
export interface ReceivedFilter extends TimeRange {
  readonly status?: Among<ReceivedStatus>
}

/** Which of the events that were not accepted a replay processes. */
export interface FailedRange {
  /** Only events with these ids; null for all. */
  readonly ids: ReadonlyArray<string> | null
  /** Only events received until this time, epoch milliseconds. */
  readonly until: number
}

/** Statistics of a store's events. */
export interface StoreActivity {
  readonly storeId: string
  /** When the newest of the events whose ids are stored was accepted; null if there is none. */
  readonly lastEventAt: number | null
  /** The number of stored events that were not accepted. */
  readonly failedEvents: number
}

/** The port of processed store data. */
export class SyncStore extends Context.Service<
  SyncStore,
  {
    /** The given event ids that were accepted before. */
    readonly seen: (
      accountId: string,
      storeId: string,
      eventIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * Records that events were accepted, in the caller's transaction; `WriteConflict("store_events_id")` if one was accepted
     * before. An event that had failed becomes accepted.
     */
    readonly remember: (
      accountId: string,
      storeId: string,
      events: ReadonlyArray<{ readonly id: string; readonly name: string }>,
      now: number
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * Stores events that were not accepted, the last of each id. Only the newest `maxFailedEvents` of the store stay.
     *
     * @param replaced `Failed`: an event that was accepted before stays accepted; `Any`: it becomes failed
     */
    readonly fail: (
      accountId: string,
      storeId: string,
      events: ReadonlyArray<FailedEvent>,
      replaced: "Failed" | "Any"
    ) => Effect.Effect<void, Unavailable>
    /** A store's events, newest first by `receivedAt`, then by `eventId`. */
    readonly events: (
      accountId: string,
      storeId: string,
      filter: ReceivedFilter,
      page: PageRequest
    ) => Effect.Effect<Page<ReceivedEvent>, Unavailable>
    /**
     * Up to `limit` of a store's events that were not accepted, oldest first.
     *
     * @param after the `[receivedAt, eventId]` after which they begin; null to begin with the first
     */
    readonly failed: (
      accountId: string,
      storeId: string,
      range: FailedRange,
      after: readonly [number, string] | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<KeptEvent>, Unavailable>
    /** Statistics of the events of stores, in no order. */
    readonly activity: (
      accountId: string,
      storeIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoreActivity>, Unavailable>
    /** Deletes events stored before that time, oldest first, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
    /** The records with the ids, in no order. One read. */
    readonly find: (
      accountId: string,
      storeId: string,
      kind: SyncedKind,
      externalIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SyncedRecord>, Unavailable>
    /**
     * Adds records, or replaces those of the same kind and id, in the caller's transaction;
     * `WriteConflict("store_records_newer")` if a stored record is newer.
     */
    readonly put: (
      accountId: string,
      storeId: string,
      records: ReadonlyArray<SyncedRecord>
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * Deletes the records of contacts in every store, and the events that were not accepted and name the contacts by an address
     * or a store's id, as part of erasing them. One statement.
     */
    readonly erase: (
      accountId: string,
      contactIds: ReadonlyArray<string>,
      emails: ReadonlyArray<string>
    ) => Effect.Effect<void, Unavailable>
    /** Deletes records and events of a store, at most `limit` of each, as part of erasing it. Returns how many. */
    readonly eraseStore: (
      accountId: string,
      storeId: string,
      limit: number
    ) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/SyncStore") {}
