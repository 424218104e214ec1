/**
 * Stores imports of contacts: their records, their files in chunks, and the rows that failed.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { ContactImport, ImportError, ImportStatus } from "../model/ContactImport.ts"
import type { Among, Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The person of a failed row, as far as the row identifies one. */
export type ImportedPerson = Pick<ImportError, "email" | "externalId">

/** The port of imports and their files. */
export class ImportStore extends Context.Service<
  ImportStore,
  {
    /** Adds an import. */
    readonly insert: (added: ContactImport) => Effect.Effect<void, Unavailable>
    /** An account's import; null for an unknown id. */
    readonly get: (accountId: string, id: string) => Effect.Effect<ContactImport | null, Unavailable>
    /** An account's imports, newest first, optionally only those with certain statuses. */
    readonly list: (
      accountId: string,
      page: PageRequest,
      statuses?: Among<ImportStatus>
    ) => Effect.Effect<Page<ContactImport>, Unavailable>
    /**
     * Replaces an import. Its version must be the version that was read plus one; otherwise, or if the import is gone,
     * `WriteConflict("imports_version")`.
     */
    readonly save: (changed: ContactImport) => Effect.Effect<void, WriteConflict | Unavailable>
    /** Stores a chunk of the file at its position, from 0. The bytes are copied. */
    readonly putChunk: (
      accountId: string,
      id: string,
      position: number,
      bytes: Uint8Array
    ) => Effect.Effect<void, Unavailable>
    /** A chunk of the file; null if there is none. */
    readonly chunk: (
      accountId: string,
      id: string,
      position: number
    ) => Effect.Effect<Uint8Array | null, Unavailable>
    /** Deletes the file. */
    readonly removeFile: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
    /** Stores failed rows. Each line is stored once; further errors of it are ignored. */
    readonly addErrors: (
      accountId: string,
      id: string,
      errors: ReadonlyArray<ImportError>
    ) => Effect.Effect<void, Unavailable>
    /** Up to `limit` failed rows after the line `after`, in the order of the file. */
    readonly errors: (
      accountId: string,
      id: string,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ImportError>, Unavailable>
    /** Deletes the failed rows. */
    readonly removeErrors: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
    /**
     * Erases people's rows, by any of their identities, from all error reports of the account, as part of erasing the people.
     * Waits for running import batches; later batches wait for the caller's transaction.
     */
    readonly eraseRows: (
      accountId: string,
      identities: ReadonlyArray<ImportedPerson>
    ) => Effect.Effect<void, Unavailable>
    /** Deletes an import with its file and errors. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/ImportStore") {}
