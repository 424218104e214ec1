/**
 * Reads all rows of an account in the order of their keys, for an export. Rows written during the export may be included or
 * not; every other row is read once.
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
    /** The first contacts by id after the given one, or from the start (null), without erased ones. */
    readonly contacts: (
      accountId: string,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Contact>, Unavailable>
    /** The whole consent history of the contacts, each contact's oldest entry first, by time and then by id. One read. */
    readonly consents: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<ConsentEntry>, Unavailable>
    /** The first suppressed addresses after the given one, in code point order, without those of erased people. */
    readonly suppressions: (
      accountId: string,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Suppression>, Unavailable>
    /** The first items by id after the given one, of any owner. */
    readonly items: (
      accountId: string,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Item>, Unavailable>
  }
>()("svc/ports/ExportStore") {}
