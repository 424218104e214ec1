/**
 * Stores the items of the catalogue, unique by external id and owner, at most `maxItems` per account.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Item, ItemKind } from "../model/Item.ts"
import type { Among, Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The changes that a batch makes. */
export interface ItemChanges {
  /** New items, at version 1. */
  readonly inserts: ReadonlyArray<Item>
  /** Changed items, each with the version that was read plus one. Owner, external id and createdAt do not change. */
  readonly updates: ReadonlyArray<Item>
  /** The fields in which the updates may differ from the stored rows, besides the version; others are not written. */
  readonly updatedFields: ReadonlyArray<keyof Item> | "Any"
}

/** Which items a list shows. */
export interface ItemFilter extends TimeRange {
  /** The stores that may own the item; null for any owner, including the customer itself. */
  readonly storeId: Among<string>
  readonly kind: Among<ItemKind>
  /** Whether the item is active; null for either. */
  readonly active: boolean | null
  /** A prefix of the name (case-insensitive) or of the external id, in the form of `foldCase`. */
  readonly q: string | null
}

/** The port of items. */
export class ItemStore extends Context.Service<
  ItemStore,
  {
    /**
     * The items with the external ids that belong to a store, or to the customer's own systems if `storeId` is null, in no order.
     * One read, whatever the number of ids.
     */
    readonly find: (
      accountId: string,
      storeId: string | null,
      externalIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Item>, Unavailable>
    /** The account's item with the id, of any owner; null if there is none. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Item | null, Unavailable>
    /** An account's items sorted by creation time, or by name (in the form of `foldCase`); newest first by default. */
    readonly list: (
      accountId: string,
      filter: ItemFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Item>, Unavailable>
    /** The number of the account's items, including those of stores. */
    readonly count: (accountId: string) => Effect.Effect<number, Unavailable>
    /**
     * Writes all changes or none, in a fixed number of statements, in the caller's transaction, if any.
     * `WriteConflict("items_external_id")` or `WriteConflict("items_store_external_id")` if an external id is taken;
     * `WriteConflict("items_version")` if an item was deleted or is no longer at the version that was read; either of the two if
     * it was deleted and another item has its external id; `WriteConflict("items_limit")` if inserts would bring the account
     * above `maxItems`. The storage enforces each, even with concurrent writers.
     */
    readonly write: (
      accountId: string,
      changes: ItemChanges
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /** Deletes items by the ids that `find` takes; returns how many there were. */
    readonly remove: (
      accountId: string,
      storeId: string | null,
      externalIds: ReadonlyArray<string>
    ) => Effect.Effect<number, Unavailable>
    /** Deletes items of a store, at most `limit`, as part of erasing it. Returns how many. */
    readonly removeStore: (
      accountId: string,
      storeId: string,
      limit: number
    ) => Effect.Effect<number, Unavailable>
    /**
     * For each category, the newest items to recommend, at most `maxRecommended`, of any owner. These are active, in stock, and
     * have no stated stock of 0 or below. Categories are compared exactly; null stands for any. One read, whose cost does not
     * grow with the catalogue.
     */
    readonly recommend: (
      accountId: string,
      categories: ReadonlyArray<string | null>
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<Item>>, Unavailable>
  }
>()("svc/ports/ItemStore") {}
