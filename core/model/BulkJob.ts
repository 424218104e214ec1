/**
 * Jobs that a person starts on many contacts, notifications or recipients at once: the record of a job, its kinds and states.
 *
 * @module
 */
import type { Actor } from "./Actor.ts"
import type { Json } from "../shared/Json.ts"
import type { Place } from "../shared/Page.ts"

/** The kinds of jobs on contacts. */
export const contactJobKinds = ["Unsubscribe", "SetTopic", "AddTag", "RemoveTag", "Export", "Erase"] as const

/** The kinds of jobs. */
export const bulkJobKinds = [
  ...contactJobKinds,
  "ResendNotifications",
  "ReplayStoreEvents",
  "ExportRecipients"
] as const

/** The kind of a job. */
export type BulkJobKind = (typeof bulkJobKinds)[number]

/** The kinds whose report is the exported file. */
export const exportKinds: ReadonlyArray<BulkJobKind> = ["Export", "ExportRecipients"]

/** Whether the report of a job is an exported file, which contains personal data. */
export const isExport = ({ kind }: Pick<BulkJob, "kind">): boolean => exportKinds.includes(kind)

/** The states of a job; the last three are final. */
export const bulkJobStates = ["Queued", "Running", "Done", "Failed", "Cancelled"] as const

/** The state of a job. */
export type BulkJobState = (typeof bulkJobStates)[number]

/** How long a finished job's report is kept, milliseconds: 7 days. */
export const keepReportMillis = 7 * 86_400_000

/** A job. All times are epoch milliseconds. */
export interface BulkJob {
  readonly id: string
  readonly accountId: string
  readonly kind: BulkJobKind
  readonly state: BulkJobState
  /** The action and its parameters; null once the report has expired. */
  readonly work: Json
  /** The item after which the next batch begins; null before the first. */
  readonly position: Place | null
  /** Items that succeeded. */
  readonly done: number
  readonly failed: number
  /** The number of items; null until they are counted. */
  readonly items: number | null
  /** The number of rows added to the report. */
  readonly rows: number
  readonly createdBy: Actor
  readonly createdAt: number
  readonly finishedAt: number | null
  /** The number of writes of this record, from 1. A write states the version that it read plus one. */
  readonly version: number
}

/** A row of a report: an exported contact, or an item that failed. */
export interface BulkJobRow {
  /** Its position in the report, from 1. */
  readonly place: number
  /** The contact that the row is about, whose erasure deletes it; null for other items. */
  readonly contactId: string | null
  readonly content: string
}

/** Whether a job has ended. */
export const hasEnded = (state: BulkJobState): boolean =>
  state === "Done" || state === "Failed" || state === "Cancelled"
