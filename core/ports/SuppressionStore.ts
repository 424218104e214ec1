/**
 * Stores the suppression list, with one entry per account and address.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Suppression, SuppressionKind, SuppressionSource } from "../model/Suppression.ts"
import type { Among, Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** An address in an account. */
export interface AddressRef {
  readonly accountId: string
  readonly email: string
}

/** An erased person's address, and the keyed hash that replaces it and contains no `@`. */
export interface HashedAddress {
  readonly email: string
  readonly hash: string
}

/** What a transaction will do: change the list, or use addresses that may be on it. */
export type ListPurpose = "Listing" | "Taking"

/** What an account's list contains. */
export interface Holdings {
  /** Whether it has entries. */
  readonly listed: boolean
  /** Whether it has entries of hashes. */
  readonly erased: boolean
}

/** Which entries a list shows, by the time they were added too. */
export interface SuppressionFilter extends TimeRange {
  readonly kind?: Among<SuppressionKind>
  readonly source?: Among<SuppressionSource>
  /** A whole address, or a prefix of one. */
  readonly q?: string | null
}

/** The port of the suppression list. */
export class SuppressionStore extends Context.Service<
  SuppressionStore,
  {
    /**
     * Locks the lists of accounts in the caller's transaction, before it reads what it decides on. `Listing` (exclusive) is for
     * suppressing addresses or erasing their owners; `Taking` (shared) is for giving contacts addresses that no contact has. This
     * keeps contacts and list consistent under concurrency.
     */
    readonly lock: (
      accountIds: ReadonlyArray<string>,
      purpose: ListPurpose
    ) => Effect.Effect<void, Unavailable>
    /** The entries of the addresses that are suppressed, in no order, in one read. */
    readonly find: (refs: ReadonlyArray<AddressRef>) => Effect.Effect<ReadonlyArray<Suppression>, Unavailable>
    /** Adds entries. An address that is already listed gets the new kind and source, and keeps its time. */
    readonly put: (entries: ReadonlyArray<Suppression>) => Effect.Effect<void, Unavailable>
    /** Deletes an address; returns its entry, or null. */
    readonly remove: (accountId: string, email: string) => Effect.Effect<Suppression | null, Unavailable>
    /** Replaces the listed addresses of an erased person with their keyed hashes. */
    readonly erase: (
      accountId: string,
      addresses: ReadonlyArray<HashedAddress>
    ) => Effect.Effect<void, Unavailable>
    /** What an account's list contains. */
    readonly holds: (accountId: string) => Effect.Effect<Holdings, Unavailable>
    /**
     * Replaces listed hashes by their addresses, which belong to a contact again. An address that is itself listed stays
     * unchanged.
     */
    readonly restore: (
      accountId: string,
      addresses: ReadonlyArray<HashedAddress>
    ) => Effect.Effect<void, Unavailable>
    /** An account's entries, newest first; entries with equal times by address, descending. */
    readonly list: (
      accountId: string,
      page: PageRequest,
      filter?: SuppressionFilter
    ) => Effect.Effect<Page<Suppression>, Unavailable>
  }
>()("svc/ports/SuppressionStore") {}
