/**
 * Reads CSV (RFC 4180) piece by piece: UTF-8 with or without BOM, fields quoted by `"`, rows ended by LF, CRLF or CR.
 * Empty lines are no rows.
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

/** Why a file cannot be read on. */
export interface Unreadable {
  /** A quote that is never closed, or a row larger than allowed (which is mostly the same mistake). */
  readonly reason: "QuoteNotClosed" | "RowTooLarge"
  /** The line the row begins on. */
  readonly line: number
}

/** What some bytes came to. */
export interface CsvRead {
  /** The rows they complete. */
  readonly rows: ReadonlyArray<CsvRow>
  /** What comes after those rows, where it cannot be read; null where it can. */
  readonly unreadable: Unreadable | null
}

/** What to read. */
export interface CsvSource {
  readonly delimiter: string
  /** Where the bytes given come from: the start of a row in the file, `{offset: 0, line: 1}` for its start. */
  readonly from: { readonly offset: number; readonly line: number }
  /** The most bytes of a row. */
  readonly maxRowBytes: number
}

/** A file being read. */
export interface CsvReading {
  /** Takes the next bytes. */
  readonly push: (bytes: Uint8Array) => Effect.Effect<CsvRead>
  /** The file ends here: gives the last row, if it had no line end. */
  readonly end: Effect.Effect<CsvRead>
}

/** The port that reads CSV as it arrives. */
export class CsvReader extends Context.Service<
  CsvReader,
  {
    /** Begins to read. One reading takes one call at a time. */
    readonly open: (source: CsvSource) => Effect.Effect<CsvReading>
  }
>()("svc/ports/CsvReader") {}
