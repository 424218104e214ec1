/**
 * Stores the suppression list: one entry per account and address.
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

/** An erased person's address and the keyed hash that replaces it, which contains no `@`. */
export interface HashedAddress {
  readonly email: string
  readonly hash: string
}

/** What a transaction will do with the list, or with addresses that may be on it. */
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
  /** A whole address, or the beginning of one. */
  readonly q?: string | null
}

/** The port of the suppression list. */
export class SuppressionStore extends Context.Service<
  SuppressionStore,
  {
    /**
     * Locks the lists of accounts in the caller's transaction, before it reads what it decides on: `Listing` to list addresses
     * or erase their owners (exclusive), `Taking` to give contacts addresses that no contact has (shared). So contacts and
     * list agree under concurrency.
     */
    readonly lock: (
      accountIds: ReadonlyArray<string>,
      purpose: ListPurpose
    ) => Effect.Effect<void, Unavailable>
    /** The entries of those addresses that are suppressed, in no order, in one read. */
    readonly find: (refs: ReadonlyArray<AddressRef>) => Effect.Effect<ReadonlyArray<Suppression>, Unavailable>
    /** Adds entries; a listed address gets the new kind and source and keeps its time. */
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
     * Replaces listed hashes with their addresses, which belong to a contact again; an address that is itself listed stays as
     * it is.
     */
    readonly restore: (
      accountId: string,
      addresses: ReadonlyArray<HashedAddress>
    ) => Effect.Effect<void, Unavailable>
    /** An account's entries, newest first, those of one time by address, descending. */
    readonly list: (
      accountId: string,
      page: PageRequest,
      filter?: SuppressionFilter
    ) => Effect.Effect<Page<Suppression>, Unavailable>
  }
>()("svc/ports/SuppressionStore") {}
