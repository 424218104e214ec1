/**
 * Stores the jobs that people start on many items at once, and the rows of their reports.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { BulkJob, BulkJobKind, BulkJobRow, BulkJobState } from "../model/BulkJob.ts"
import type { Among, Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** Which jobs a list shows. */
export interface BulkJobFilter {
  readonly kind?: Among<BulkJobKind>
  readonly state?: Among<BulkJobState>
}

/** The port of jobs and their reports. */
export class BulkJobStore extends Context.Service<
  BulkJobStore,
  {
    /** Adds a job. */
    readonly insert: (added: BulkJob) => Effect.Effect<void, Unavailable>
    /** An account's job; null for an unknown id. */
    readonly get: (accountId: string, id: string) => Effect.Effect<BulkJob | null, Unavailable>
    /** An account's jobs that pass a filter, newest first. */
    readonly list: (
      accountId: string,
      filter: BulkJobFilter,
      page: PageRequest
    ) => Effect.Effect<Page<BulkJob>, Unavailable>
    /**
     * Replaces a job. Its version must be the version that was read plus one; otherwise `WriteConflict("bulk_jobs_version")`.
     */
    readonly save: (changed: BulkJob) => Effect.Effect<void, WriteConflict | Unavailable>
    /** Adds rows to a job's report, in the caller's transaction. */
    readonly addRows: (
      accountId: string,
      id: string,
      rows: ReadonlyArray<BulkJobRow>
    ) => Effect.Effect<void, Unavailable>
    /** Up to `limit` rows of a job's report after the position `after`, in order. */
    readonly rows: (
      accountId: string,
      id: string,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<BulkJobRow>, Unavailable>
    /** Deletes a job's report. */
    readonly removeRows: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
    /** Deletes the rows about contacts from all reports of the account, as part of erasing them. One statement. */
    readonly eraseRows: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/BulkJobStore") {}
