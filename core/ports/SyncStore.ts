/**
 * Stores which events of connected stores were received, with those that were not accepted, and how recent the data of
 * each customer and product is.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { FailedEvent, KeptEvent, ReceivedEvent, ReceivedStatus } from "../model/ReceivedEvent.ts"
import type { Among, Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** What stores identify besides orders and carts. */
export type SyncedKind = "Customer" | "Product"

/** A customer or product of a store. */
export interface SyncedRecord {
  readonly kind: SyncedKind
  /** The store's id, unique among those of the kind in the store. */
  readonly externalId: string
  /** The contact a customer is; null for a product. */
  readonly contactId: string | null
  /** The store's time of the stored data, epoch milliseconds; older updates are ignored. */
  readonly sourceUpdatedAt: number
}

/** Which of a store's events a list shows. */
export interface ReceivedFilter extends TimeRange {
  readonly status?: Among<ReceivedStatus>
}

/** Which of the events that were not accepted a replay takes. */
export interface FailedRange {
  /** Those of these ids; null for all. */
  readonly ids: ReadonlyArray<string> | null
  /** Those that were received until then, epoch milliseconds. */
  readonly until: number
}

/** The events of a store in figures. */
export interface StoreActivity {
  readonly storeId: string
  /** When the newest event was accepted, of those whose ids are kept; null for none. */
  readonly lastEventAt: number | null
  /** How many are kept because they were not accepted. */
  readonly failedEvents: number
}

/** The port of processed store data. */
export class SyncStore extends Context.Service<
  SyncStore,
  {
    /** Those of the event ids that were accepted before. */
    readonly seen: (
      accountId: string,
      storeId: string,
      eventIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * Stores that events were accepted, in the caller's transaction; `WriteConflict("store_events_id")` when one was
     * accepted before. One that had failed is accepted now.
     */
    readonly remember: (
      accountId: string,
      storeId: string,
      events: ReadonlyArray<{ readonly id: string; readonly name: string }>,
      now: number
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * Stores events that were not accepted, the last of each id; the newest `maxFailedEvents` of the store stay.
     *
     * @param replaced `Failed`: one that was accepted before stays accepted; `Any`: it has failed now
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
     * Up to `limit` of a store's events that were not accepted, the oldest first.
     *
     * @param after the `[receivedAt, eventId]` behind which they begin; null from the first
     */
    readonly failed: (
      accountId: string,
      storeId: string,
      range: FailedRange,
      after: readonly [number, string] | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<KeptEvent>, Unavailable>
    /** The events of stores in figures, in no order. */
    readonly activity: (
      accountId: string,
      storeIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoreActivity>, Unavailable>
    /** Deletes events stored before that time, oldest first, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
    /** The records of those ids, in no order. One read. */
    readonly find: (
      accountId: string,
      storeId: string,
      kind: SyncedKind,
      externalIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SyncedRecord>, Unavailable>
    /**
     * Adds records or replaces those of the same kind and id, in the caller's transaction;
     * `WriteConflict("store_records_newer")` where the stored one is newer.
     */
    readonly put: (
      accountId: string,
      storeId: string,
      records: ReadonlyArray<SyncedRecord>
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * Deletes the records of contacts in every store, and the events that were not accepted and name them by one of the
     * addresses or by a store's id: part of erasing them. One statement.
     */
    readonly erase: (
      accountId: string,
      contactIds: ReadonlyArray<string>,
      emails: ReadonlyArray<string>
    ) => Effect.Effect<void, Unavailable>
    /** Deletes records and events of a store, at most `limit` of each: part of erasing it. Returns how many. */
    readonly eraseStore: (
      accountId: string,
      storeId: string,
      limit: number
    ) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/SyncStore") {}
