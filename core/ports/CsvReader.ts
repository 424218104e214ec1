/**
 * Reads CSV (RFC 4180) in chunks: UTF-8 with or without BOM, fields quoted by `"`, rows ended by LF, CRLF or CR.
 * Empty lines are skipped.
 *
 * @module
 */
import { Context, type Effect } from "effect"

/** A row. */
export interface CsvRow {
  readonly cells: ReadonlyArray<string>
  /** The line the row begins on. */
  readonly line: number
  /** Where the next row begins: the byte after this one's end, and its line. */
  readonly next: { readonly offset: number; readonly line: number }
}

/** Why the rest of a file cannot be read. */
export interface Unreadable {
  /** A quote that is never closed, or a row larger than allowed (usually for the same reason). */
  readonly reason: "QuoteNotClosed" | "RowTooLarge"
  /** The line the row begins on. */
  readonly line: number
}

/** The result of some bytes. */
export interface CsvRead {
  /** The rows they complete. */
  readonly rows: ReadonlyArray<CsvRow>
  /** Why the file cannot be read after those rows; null while it can. */
  readonly unreadable: Unreadable | null
}

/** What is read. */
export interface CsvSource {
  readonly delimiter: string
  /** Where the bytes begin: the start of a row in the file, `{offset: 0, line: 1}` for the start of the file. */
  readonly from: { readonly offset: number; readonly line: number }
  /** The most bytes of a row. */
  readonly maxRowBytes: number
}

/** A file being read. */
export interface CsvReading {
  /** Reads the next bytes. */
  readonly push: (bytes: Uint8Array) => Effect.Effect<CsvRead>
  /** Ends the file: returns the last row, if it had no line end. */
  readonly end: Effect.Effect<CsvRead>
}

/** The port that reads CSV as it arrives. */
export class CsvReader extends Context.Service<
  CsvReader,
  {
    /** Begins to read. One call of a reading runs at a time. */
    readonly open: (source: CsvSource) => Effect.Effect<CsvReading>
  }
>()("svc/ports/CsvReader") {}
