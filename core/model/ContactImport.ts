/**
 * Imports of contacts from a CSV file: the record of an import and its limits.
 *
 * @module
 */
import type { Code, Issue } from "../shared/Problem.ts"

/**
 * Uploading: the file is arriving. Queued: the file is stored, but not read yet. Running: rows are being written. The others are
 * final: Completed (rows may have failed), Failed (the rest of the file cannot be read), Cancelled.
 */
export const importStatuses = ["Uploading", "Queued", "Running", "Completed", "Failed", "Cancelled"] as const

export type ImportStatus = (typeof importStatuses)[number]

/** What separates the fields of a row. */
export const delimiters = [",", ";", "\t", "|"] as const

export type Delimiter = (typeof delimiters)[number]

/** The most bytes of a file. */
export const maxFileBytes = 256 * 1024 * 1024

/** The size of the chunks in which a file is stored, bytes; the last one may be shorter. */
export const chunkBytes = 256 * 1024

/**
 * The most bytes of a row, including the header row. Without a limit, an unclosed quote would make the rest of the file one row.
 */
export const maxRowBytes = 512 * 1024

/** The most columns of a file. */
export const maxColumns = 500

/** The most failed rows that are kept for the error report; further ones are only counted. */
export const maxKeptErrors = 10_000

/** How long the error report is kept, milliseconds: 30 days. */
export const keepErrorsMillis = 30 * 86_400_000

/** The fields of a contact that a column can be mapped to. */
export const importFields = [
  "id",
  "externalId",
  "email",
  "firstName",
  "lastName",
  "phone",
  "city",
  "countryCode",
  "language"
] as const

export type ImportField = (typeof importFields)[number]

/** The fields of a proof of consent that a column can be mapped to. */
export const proofFields = ["text", "textVersion", "locale", "ipAddress", "givenAt"] as const

export type ProofField = (typeof proofFields)[number]

/** A mapping from column headers to targets, not yet validated, such as `{"E-mail": "email", "Plan": "attributes.plan"}`. */
export type ImportMapping = { readonly [header: string]: string }

/** The consent stated for all rows, in the form of `consent` in a contact write. */
export interface ImportConsent {
  readonly basis: string
  readonly proof?: { readonly [Field in ProofField]?: string }
}

/** Where reading continues: the byte offset and the line at which a row begins. */
export interface FilePosition {
  readonly offset: number
  readonly line: number
}

/** The number of rows by result. */
export interface RowCounts {
  readonly read: number
  readonly created: number
  readonly updated: number
  readonly failed: number
}

/** Why the rest of a file could not be read. */
export interface ImportFailure {
  readonly code: Code
  /** The line on which the failure begins; null if it does not concern a line. */
  readonly line: number | null
}

/** An import. All times are epoch milliseconds. */
export interface ContactImport {
  readonly id: string
  readonly accountId: string
  /** The name that a person gave it; null for none. */
  readonly name: string | null
  readonly status: ImportStatus
  readonly mapping: ImportMapping
  /** The consent stated for all rows; null for none. */
  readonly consent: ImportConsent | null
  readonly delimiter: Delimiter
  readonly header: ReadonlyArray<string>
  /** The size of the file in bytes, set once it is complete. */
  readonly size: number
  readonly position: FilePosition
  readonly rows: RowCounts
  readonly failure: ImportFailure | null
  /** Whether rows are only validated and counted, with their errors, and not written. */
  readonly dryRun: boolean
  readonly createdAt: number
  readonly finishedAt: number | null
  /** The number of writes of this record, from 1. A write states the version that it read plus one. */
  readonly version: number
}

/** A row that failed. */
export interface ImportError {
  /** The line on which the row begins, from 1. */
  readonly line: number
  readonly issues: ReadonlyArray<Issue>
  /** The row's normalized email address, by which an erasure finds it; null for none. */
  readonly email: string | null
  /** The row's external id, for the same purpose; null for none. */
  readonly externalId: string | null
  /** The row's fields; null if they are not stored, such as those of an erased person. */
  readonly cells: ReadonlyArray<string> | null
}

/** Whether an import has ended. */
export const isFinished = (status: ImportStatus): boolean =>
  status === "Completed" || status === "Failed" || status === "Cancelled"
