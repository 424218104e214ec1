/**
 * An account's rows in the order of their keys, for an export that goes through all of them. What is written meanwhile
 * may be among them or not; what stays is met once.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { ConsentEntry } from "../model/Consent.ts"
import type { Contact } from "../model/Contact.ts"
import type { Item } from "../model/Item.ts"
import type { Suppression } from "../model/Suppression.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** The port of exports. */
export class ExportStore extends Context.Service<
  ExportStore,
  {
    /** The first contacts by id after the one given, null for the very first; those that were erased are left out. */
    readonly contacts: (
      accountId: string,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Contact>, Unavailable>
    /** The whole consent history of those contacts, that of each oldest first by time, then by id. One read. */
    readonly consents: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<ConsentEntry>, Unavailable>
    /** The first suppressed addresses, letter by letter, after the one given; those of erased people are left out. */
    readonly suppressions: (
      accountId: string,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Suppression>, Unavailable>
    /** The first items by their own id after the one given, whoever owns them. */
    readonly items: (
      accountId: string,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Item>, Unavailable>
  }
>()("svc/ports/ExportStore") {}
