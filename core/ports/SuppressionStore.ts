/**
 * The suppression list: one entry per address and account.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Suppression } from "../sending/Suppression.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** An address in an account. */
export interface AddressRef {
  readonly accountId: string
  readonly email: string
}

/** The port of the suppression list. */
export class SuppressionStore extends Context.Service<
  SuppressionStore,
  {
    /** The entries of those addresses that are suppressed, in no order, in one read. */
    readonly find: (refs: ReadonlyArray<AddressRef>) => Effect.Effect<ReadonlyArray<Suppression>, Unavailable>
    /** Adds entries; an address already listed takes the new kind and keeps its time. */
    readonly put: (entries: ReadonlyArray<Suppression>) => Effect.Effect<void, Unavailable>
    /** Removes an address; answers the entry that went, or null. */
    readonly remove: (accountId: string, email: string) => Effect.Effect<Suppression | null, Unavailable>
    /** Puts the keyed hash of an erased person's address in the place of the address, where it is listed. */
    readonly erase: (accountId: string, email: string, hash: string) => Effect.Effect<void, Unavailable>
    /** An account's entries, newest first, then by address. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Suppression>, Unavailable>
  }
>()("svc/ports/SuppressionStore") {}
