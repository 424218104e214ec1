/**
 * Reads CSV (RFC 4180) in chunks: UTF-8 with or without BOM, fields quoted with `"`, rows ended by LF, CRLF or CR.
 * Empty lines are skipped.
 *
 * @module
 */
import { Context, type Effect } from "effect"

/** A row. */
export interface CsvRow {
  readonly cells: ReadonlyArray<string>
  /** The line on which the row begins. */
  readonly line: number
  /** Where the next row begins: its byte offset, just after this row, and its line. */
  readonly next: { readonly offset: number; readonly line: number }
}

/** Why the rest of a file cannot be read. */
export interface Unreadable {
  /** A quote that is never closed, or a row larger than allowed (usually for the same reason). */
  readonly reason: "QuoteNotClosed" | "RowTooLarge"
  /** The line on which the row begins. */
  readonly line: number
}

/** The result of reading a chunk. */
export interface CsvRead {
  /** The rows that the chunk completes. */
  readonly rows: ReadonlyArray<CsvRow>
  /** Why the file cannot be read beyond those rows; null while it can. */
  readonly unreadable: Unreadable | null
}

/** Where and how reading begins. */
export interface CsvSource {
  readonly delimiter: string
  /** Where the first chunk begins, which must be the start of a row; `{offset: 0, line: 1}` for the start of the file. */
  readonly from: { readonly offset: number; readonly line: number }
  /** The most bytes of a row. */
  readonly maxRowBytes: number
}

/** The reader of one file. */
export interface CsvReading {
  /** Reads the next bytes. */
  readonly push: (bytes: Uint8Array) => Effect.Effect<CsvRead>
  /** Ends the file: returns the last row if it had no line end. */
  readonly end: Effect.Effect<CsvRead>
}

/** The port that reads CSV as its bytes arrive. */
export class CsvReader extends Context.Service<
  CsvReader,
  {
    /** Begins to read a file. Calls of one reader must not overlap. */
    readonly open: (source: CsvSource) => Effect.Effect<CsvReading>
  }
>()("svc/ports/CsvReader") {}
