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

/** Selects contacts by any of their identities. */
export interface ContactKeys {
  readonly ids: ReadonlyArray<string>
  readonly externalIds: ReadonlyArray<string>
  readonly emails: ReadonlyArray<string>
}

/** The changes that a batch makes. */
export interface ContactChanges {
  /** New contacts, at version 1. */
  readonly inserts: ReadonlyArray<Contact>
  /** Changed contacts, each with the version that was read plus one. */
  readonly updates: ReadonlyArray<Contact>
  /**
   * Ids of updated contacts whose stored email or external id passes to another contact in these changes. Because values are
   * unique row by row, their stored identities are released before the updates. Both identities of each are then written as its
   * update has them, whatever `updatedFields` names.
   */
  readonly released: ReadonlyArray<string>
  /**
   * The fields in which the updates may differ from the stored rows, besides the version. Other fields are not written, except
   * the identities of `released` contacts.
   */
  readonly updatedFields: ReadonlyArray<keyof Contact> | "Any"
  /** Additions to the consent history. */
  readonly consents: ReadonlyArray<ConsentEntry>
  /** The most contacts that the account may have after the inserts, without erased ones; null for no limit. */
  readonly contactLimit: number | null
}

/** A new value for a timestamp of the contact with an address; it only moves forward. */
export interface ContactTouch {
  /** Normalized. */
  readonly email: string
  readonly field: "lastEmailedAt" | "lastOpenAt" | "lastClickAt"
  /** Epoch milliseconds. */
  readonly at: number
}

/** The correction of a timestamp of the contact with an address. */
export interface ContactUntouch {
  /** Normalized. */
  readonly email: string
  readonly field: "lastOpenAt" | "lastClickAt"
  /** The wrong time, epoch milliseconds. */
  readonly from: number
  /** The time that replaces it, epoch milliseconds; null for none. */
  readonly to: number | null
}

/** The port of contacts and their consent history. */
export class ContactStore extends Context.Service<
  ContactStore,
  {
    /**
     * The contacts that have any of the identities, each once. Erased contacts are found only by id. One read, whatever the
     * number of keys.
     */
    readonly find: (
      accountId: string,
      keys: ContactKeys
    ) => Effect.Effect<ReadonlyArray<Contact>, Unavailable>
    /**
     * Locks the contacts that have any of the identities until the caller's transaction ends, so that other writers wait. Every
     * writer locks contacts in the same order. For batches that take so long that other writers would otherwise interfere.
     * Identities without a contact lock nothing.
     */
    readonly lock: (accountId: string, keys: ContactKeys) => Effect.Effect<void, Unavailable>
    /**
     * Waits for other transactions that add contacts to the account, then prevents new ones until the caller's transaction ends.
     * For a caller that found others adding the same people. It must be the transaction's first lock.
     */
    readonly holdInserts: (accountId: string) => Effect.Effect<void, Unavailable>
    /** The ids of contacts that a store manages, without erased ones, at most `limit`, in no order. */
    readonly ofStore: (
      accountId: string,
      storeId: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** The number of contacts in the account, without erased ones. */
    readonly count: (accountId: string) => Effect.Effect<number, Unavailable>
    /** The number of contacts added on each of the days, in order, without erased ones. */
    readonly countByDay: (
      accountId: string,
      days: ReadonlyArray<UtcDay>
    ) => Effect.Effect<ReadonlyArray<number>, Unavailable>
    /**
     * Writes all changes or none, in a fixed number of statements. `WriteConflict` if an email or external id is taken in the
     * account, if a row is no longer at the version that was read, or if the limit would be exceeded. The storage enforces each,
     * even with concurrent writers.
     */
    readonly write: (
      accountId: string,
      changes: ContactChanges
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * Moves timestamps of contacts forward, never back, in one statement. Addresses without a contact are ignored. Counts as a
     * write of the row (its version grows).
     */
    readonly touch: (
      accountId: string,
      touches: ReadonlyArray<ContactTouch>
    ) => Effect.Effect<void, Unavailable>
    /**
     * Replaces timestamps of contacts that still equal `from`, in one statement. Addresses without a contact are ignored. Counts
     * as a write of the row (its version grows).
     */
    readonly untouch: (
      accountId: string,
      untouches: ReadonlyArray<ContactUntouch>
    ) => Effect.Effect<void, Unavailable>
    /** Deletes the consent histories of contacts, as part of erasing them. One statement. */
    readonly eraseConsents: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<void, Unavailable>
    /** The given address hashes that are stored for erased contacts of the account, each once, in no order. */
    readonly erasedHashes: (
      accountId: string,
      hashes: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Stores hashes of former addresses of an erased contact; `erasedHashes` returns them from then on. */
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
