/**
 * Stores contacts and their consent history.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { ConsentEntry } from "../model/Consent.ts"
import type { Contact } from "../model/Contact.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { UtcDay } from "../shared/UtcDays.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The contacts of a batch, by any of their identities. */
export interface ContactKeys {
  readonly ids: ReadonlyArray<string>
  readonly externalIds: ReadonlyArray<string>
  readonly emails: ReadonlyArray<string>
}

/** What a batch changes. */
export interface ContactChanges {
  /** New contacts, at version 1. */
  readonly inserts: ReadonlyArray<Contact>
  /** Changed contacts, each with the version it was read at plus one. */
  readonly updates: ReadonlyArray<Contact>
  /**
   * Ids of contacts among the updates whose stored email or external id another contact of these changes takes. Their
   * stored identities are released before the updates, since values are unique row by row. Both identities of each are
   * then written as its update has them, whatever `updatedFields` names.
   */
  readonly released: ReadonlyArray<string>
  /**
   * The fields in which the updates may differ from what is stored, besides the version; others are not written, except
   * the identities of `released` contacts.
   */
  readonly updatedFields: ReadonlyArray<keyof Contact> | "Any"
  /** Additions to the consent history. */
  readonly consents: ReadonlyArray<ConsentEntry>
  /** The most contacts the account may have after the inserts, erased ones not counted; null for no limit. */
  readonly contactLimit: number | null
}

/** A time of the contact with that address, moved forward. */
export interface ContactTouch {
  /** Normalized. */
  readonly email: string
  readonly field: "lastEmailedAt" | "lastOpenAt" | "lastClickAt"
  /** Epoch milliseconds. */
  readonly at: number
}

/** A time of the contact with that address that turned out to be wrong. */
export interface ContactUntouch {
  /** Normalized. */
  readonly email: string
  readonly field: "lastOpenAt" | "lastClickAt"
  /** The time that must not stay; epoch milliseconds. */
  readonly from: number
  /** The time in its place; null for none. */
  readonly to: number | null
}

/** The port of contacts and their consent history. */
export class ContactStore extends Context.Service<
  ContactStore,
  {
    /**
     * The contacts that have any of the identities, each once, erased ones included only by id. One read,
     * whatever the number of keys.
     */
    readonly find: (
      accountId: string,
      keys: ContactKeys
    ) => Effect.Effect<ReadonlyArray<Contact>, Unavailable>
    /**
     * Locks the contacts that have any of the identities until the caller's transaction ends, in the one order in which every
     * writer locks them: other writers wait. For batches so long that others would write in between. Identities without a
     * contact lock nothing.
     */
    readonly lock: (accountId: string, keys: ContactKeys) => Effect.Effect<void, Unavailable>
    /**
     * Waits for other transactions that add contacts to the account, then keeps others from adding any until the caller's
     * transaction ends. For a caller that found others adding the same people; it must be the transaction's first lock.
     */
    readonly holdInserts: (accountId: string) => Effect.Effect<void, Unavailable>
    /** Ids of contacts that a store manages, erased ones left out, at most `limit`, in no order. */
    readonly ofStore: (
      accountId: string,
      storeId: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** How many contacts the account has, erased ones not counted. */
    readonly count: (accountId: string) => Effect.Effect<number, Unavailable>
    /** How many contacts were added on each of those days, in order; erased ones not counted. */
    readonly countByDay: (
      accountId: string,
      days: ReadonlyArray<UtcDay>
    ) => Effect.Effect<ReadonlyArray<number>, Unavailable>
    /**
     * Writes all changes or none, in a fixed number of statements. `WriteConflict` when an email or external id
     * is taken in the account, when a row is no longer at the version it was read at, or when the limit would be
     * exceeded; the storage enforces each, also against concurrent writers.
     */
    readonly write: (
      accountId: string,
      changes: ContactChanges
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * Moves times of contacts forward, never back, in one statement; addresses without a contact are left out. Counts
     * as a write of the row (its version grows).
     */
    readonly touch: (
      accountId: string,
      touches: ReadonlyArray<ContactTouch>
    ) => Effect.Effect<void, Unavailable>
    /**
     * Replaces times of contacts that still are `from`, in one statement; addresses without a contact are left out. Counts
     * as a write of the row (its version grows).
     */
    readonly untouch: (
      accountId: string,
      untouches: ReadonlyArray<ContactUntouch>
    ) => Effect.Effect<void, Unavailable>
    /** Deletes the consent histories of contacts: part of erasing them. One statement. */
    readonly eraseConsents: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<void, Unavailable>
    /** Those of the address hashes that are kept of erased contacts of the account, each once, in no order. */
    readonly erasedHashes: (
      accountId: string,
      hashes: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Keeps hashes of former addresses of an erased contact; `erasedHashes` returns them from then on. */
    readonly rememberErased: (
      accountId: string,
      hashes: ReadonlyArray<string>
    ) => Effect.Effect<void, Unavailable>
    /** A contact's consent history, newest first. */
    readonly consentHistory: (
      accountId: string,
      contactId: string,
      page: PageRequest
    ) => Effect.Effect<Page<ConsentEntry>, Unavailable>
  }
>()("svc/ports/ContactStore") {}
