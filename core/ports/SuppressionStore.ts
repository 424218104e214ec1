/**
 * The suppression list: one entry per address and account.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Suppression } from "../model/Suppression.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** An address in an account. */
export interface AddressRef {
  readonly accountId: string
  readonly email: string
}

/** An erased person's address, with the keyed hash that takes its place; unlike an address it holds no `@`. */
export interface HashedAddress {
  readonly email: string
  readonly hash: string
}

/** What a transaction means to do with a list, or with addresses that may be on it. */
export type ListPurpose = "Listing" | "Taking"

/** What an account's list holds. */
export interface Holdings {
  /** Whether it holds anything at all. */
  readonly listed: boolean
  /** Whether it holds anything under a hash. */
  readonly erased: boolean
}

/** The port of the suppression list. */
export class SuppressionStore extends Context.Service<
  SuppressionStore,
  {
    /**
     * In the caller's transaction, before it reads what it decides by: `Listing` by whoever lists addresses or erases
     * their owners, `Taking` by whoever gives contacts addresses that were nobody's. Listing waits for all others of
     * its accounts, and they for it; any number take at a time. So contact and list agree whatever comes at once.
     */
    readonly lock: (
      accountIds: ReadonlyArray<string>,
      purpose: ListPurpose
    ) => Effect.Effect<void, Unavailable>
    /** The entries of those addresses that are suppressed, in no order, in one read. */
    readonly find: (refs: ReadonlyArray<AddressRef>) => Effect.Effect<ReadonlyArray<Suppression>, Unavailable>
    /** Adds entries; an address already listed takes the new kind and keeps its time. */
    readonly put: (entries: ReadonlyArray<Suppression>) => Effect.Effect<void, Unavailable>
    /** Removes an address; answers the entry that went, or null. */
    readonly remove: (accountId: string, email: string) => Effect.Effect<Suppression | null, Unavailable>
    /** Puts the keyed hashes of an erased person's addresses in the place of those that are listed. */
    readonly erase: (
      accountId: string,
      addresses: ReadonlyArray<HashedAddress>
    ) => Effect.Effect<void, Unavailable>
    /** What there is to look for in an account's list. */
    readonly holds: (accountId: string) => Effect.Effect<Holdings, Unavailable>
    /**
     * Puts addresses that are a contact's again in the place of their hashes, where those are listed; one that is
     * listed by itself stays as it is.
     */
    readonly restore: (
      accountId: string,
      addresses: ReadonlyArray<HashedAddress>
    ) => Effect.Effect<void, Unavailable>
    /** An account's entries, newest first, then by address. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Suppression>, Unavailable>
  }
>()("svc/ports/SuppressionStore") {}
