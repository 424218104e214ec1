/**
 * Stores contact fields, unique by key in an account, at most `maxFields` of them.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { ContactField } from "../model/ContactField.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The port of contact fields. */
export class ContactFieldStore extends Context.Service<
  ContactFieldStore,
  {
    /**
     * Adds fields of one account, in the caller's transaction, if any. `WriteConflict("contact_fields_key")` if the account has
     * a field with one of the keys, `WriteConflict("contact_fields_limit")` if it would have more than `maxFields`, including
     * archived ones; both also with concurrent writers.
     */
    readonly insert: (
      accountId: string,
      fields: ReadonlyArray<ContactField>
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /** All fields of an account, including archived ones, ordered by key. */
    readonly list: (accountId: string) => Effect.Effect<ReadonlyArray<ContactField>, Unavailable>
    /** Replaces the label, description and archivedAt of a field. */
    readonly save: (field: ContactField) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/ContactFieldStore") {}
