/**
 * Stores the items of the catalogue, unique by external id and owner, at most `maxItems` in an account.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Item, ItemKind } from "../model/Item.ts"
import type { Among, Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** What a batch changes. */
export interface ItemChanges {
  /** New items, at version 1. */
  readonly inserts: ReadonlyArray<Item>
  /** Changed items, each with the version it was read at plus one. Owner, external id and createdAt stay. */
  readonly updates: ReadonlyArray<Item>
  /** The fields in which the updates may differ from what is stored, besides the version; others are not written. */
  readonly updatedFields: ReadonlyArray<keyof Item> | "Any"
}

/** Which items a list shows. */
export interface ItemFilter extends TimeRange {
  /** The stores, of which the item is of one; null for any, and for the customer's own. */
  readonly storeId: Among<string>
  readonly kind: Among<ItemKind>
  /** Whether it is active; null for either. */
  readonly active: boolean | null
  /** The beginning of the name, in any case, or of the external id; in the form of `foldCase`. */
  readonly q: string | null
}

/** The port of items. */
export class ItemStore extends Context.Service<
  ItemStore,
  {
    /**
     * The items with those external ids of a store, or of the customer's own systems where `storeId` is null, in no
     * order. One read, whatever the number of ids.
     */
    readonly find: (
      accountId: string,
      storeId: string | null,
      externalIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Item>, Unavailable>
    /** The item of an account with that id, of any owner; null for none. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Item | null, Unavailable>
    /** Items of an account, by when they were created, or by name (in the form of `foldCase`); newest first unless asked. */
    readonly list: (
      accountId: string,
      filter: ItemFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Item>, Unavailable>
    /** How many items the account has, those of stores included. */
    readonly count: (accountId: string) => Effect.Effect<number, Unavailable>
    /**
     * Writes all changes or none, in a fixed number of statements; in the caller's transaction, if any.
     * `WriteConflict("items_external_id")` or `WriteConflict("items_store_external_id")` when an external id is taken,
     * `WriteConflict("items_version")` when an item was deleted or is no longer at the version it was read at (either of
     * the two, where it was deleted and another item has its external id),
     * `WriteConflict("items_limit")` when inserts would bring the account past `maxItems`; the storage
     * enforces each, also against concurrent writers.
     */
    readonly write: (
      accountId: string,
      changes: ItemChanges
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /** Deletes items by the ids `find` takes; returns how many there were. */
    readonly remove: (
      accountId: string,
      storeId: string | null,
      externalIds: ReadonlyArray<string>
    ) => Effect.Effect<number, Unavailable>
    /** Deletes items of a store, at most `limit`: part of erasing it. Returns how many. */
    readonly removeStore: (
      accountId: string,
      storeId: string,
      limit: number
    ) => Effect.Effect<number, Unavailable>
    /**
     * For each category the newest items to recommend, at most `maxRecommended`, of any owner: active, in stock, and not
     * with a stock of 0 or below. Categories are compared exactly; null stands for any. One read,
     * whose work does not grow with the catalogue.
     */
    readonly recommend: (
      accountId: string,
      categories: ReadonlyArray<string | null>
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<Item>>, Unavailable>
  }
>()("svc/ports/ItemStore") {}
