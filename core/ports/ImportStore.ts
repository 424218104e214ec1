/**
 * Imports of contacts: their records, their files in pieces, and the rows that failed.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { ContactImport, ImportError } from "../model/ContactImport.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** Who a failed row is about, as far as the row tells. */
export type ImportedPerson = Pick<ImportError, "email" | "externalId">

/** The port of imports and their files. */
export class ImportStore extends Context.Service<
  ImportStore,
  {
    /** Adds an import. */
    readonly insert: (added: ContactImport) => Effect.Effect<void, Unavailable>
    /** An account's import; null for an unknown id. */
    readonly get: (accountId: string, id: string) => Effect.Effect<ContactImport | null, Unavailable>
    /** An account's imports, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<ContactImport>, Unavailable>
    /**
     * Replaces an import, at the version it was decided on plus one. `WriteConflict("imports_version")` when the
     * stored one is at another version, or gone.
     */
    readonly save: (changed: ContactImport) => Effect.Effect<void, WriteConflict | Unavailable>
    /** Keeps a piece of the file, by its place from 0. The bytes are copied. */
    readonly putChunk: (
      accountId: string,
      id: string,
      place: number,
      bytes: Uint8Array
    ) => Effect.Effect<void, Unavailable>
    /** A piece of the file; null where there is none. */
    readonly chunk: (
      accountId: string,
      id: string,
      place: number
    ) => Effect.Effect<Uint8Array | null, Unavailable>
    /** Removes the file. */
    readonly removeFile: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
    /** Keeps rows that failed. A line is kept once: the first time it is given. */
    readonly addErrors: (
      accountId: string,
      id: string,
      errors: ReadonlyArray<ImportError>
    ) => Effect.Effect<void, Unavailable>
    /** Up to `limit` failed rows that come after the line `after`, in the order of the file. */
    readonly errors: (
      accountId: string,
      id: string,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ImportError>, Unavailable>
    /** Removes the rows that failed. */
    readonly removeErrors: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
    /**
     * Takes what is kept of a person's rows, of any of the identities, out of all error reports of the account: part of
     * erasing it. Waits for batches of imports under way, and lets the next ones wait for the caller's transaction.
     */
    readonly forget: (
      accountId: string,
      identities: ReadonlyArray<ImportedPerson>
    ) => Effect.Effect<void, Unavailable>
    /** Removes an import with all that is kept of it. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/ImportStore") {}
