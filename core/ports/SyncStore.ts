/**
 * Stores which events of connected stores were processed, and how recent the data of each customer and product is.
 *
 * @module
 */
import { Context, type Effect } from "effect"
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

/** The port of processed store data. */
export class SyncStore extends Context.Service<
  SyncStore,
  {
    /** Those of the event ids that were processed before. */
    readonly seen: (
      accountId: string,
      storeId: string,
      eventIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Stores event ids, in the caller's transaction; `WriteConflict("store_events_id")` when one was stored before. */
    readonly remember: (
      accountId: string,
      storeId: string,
      eventIds: ReadonlyArray<string>,
      now: number
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /** Deletes event ids stored before that time, oldest first, at most `limit`; returns how many. */
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
    /** Deletes the records of contacts, in every store: part of erasing them. One statement. */
    readonly erase: (accountId: string, contactIds: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
    /** Deletes records and event ids of a store, at most `limit` of each: part of erasing it. Returns how many. */
    readonly eraseStore: (
      accountId: string,
      storeId: string,
      limit: number
    ) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/SyncStore") {}
