/**
 * Implements the CsvReader port with the package csv-parse.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { Parser } from "csv-parse"
import {
  type CsvRead,
  CsvReader,
  type CsvReading,
  type CsvRow,
  type CsvSource,
  type Unreadable
} from "../../core/ports/CsvReader.ts"

const cr = 13
const lf = 10

/**
 * How many bytes are parsed before the event loop handles pending events. The parser takes up to 15 microseconds for a row,
 * which may have as few as two bytes.
 */
const sliceBytes = 4096

/**
 * The bytes that do not belong to a complete row yet. The parser reports where a row ends but miscounts the lines inside
 * quotes, so lines are counted here.
 */
class Window {
  #bytes: Buffer = Buffer.alloc(0)
  /** The offset and the line at which the window begins. */
  #offset: number
  #line: number

  constructor(offset: number, line: number) {
    this.#offset = offset
    this.#line = line
  }

  get size(): number {
    return this.#bytes.length
  }

  push(bytes: Uint8Array): void {
    this.#bytes = this.#bytes.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#bytes, bytes])
  }

  /** The line of the first byte that is not a line end. */
  get line(): number {
    return this.#line + this.#lines(0, this.#firstOfRow())
  }

  /** Removes a row that ends before `offset` in the file. */
  take(cells: ReadonlyArray<string>, offset: number): CsvRow {
    const line = this.line
    const length = offset - this.#offset
    this.#line += this.#lines(0, length)
    this.#bytes = this.#bytes.subarray(length)
    this.#offset = offset
    return { cells, line, next: { offset, line: this.#line } }
  }

  #firstOfRow(): number {
    let index = 0
    while (this.#bytes[index] === cr || this.#bytes[index] === lf) index++
    return index
  }

  /** The number of line ends between two indexes. CRLF counts as one. */
  #lines(from: number, to: number): number {
    let count = 0
    for (let index = from; index < to; index++) {
      const byte = this.#bytes[index]
      if (byte === lf || (byte === cr && this.#bytes[index + 1] !== lf)) count++
    }
    return count
  }
}

const open = ({ delimiter, from, maxRowBytes }: CsvSource): CsvReading => {
  const window = new Window(from.offset, from.line)
  let rows: Array<CsvRow> = []
  let failed = false
  const parser = new Parser({
    delimiter,
    bom: from.offset === 0,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    on_record: (cells: ReadonlyArray<string>, { bytes }) => {
      rows.push(window.take(cells, from.offset + bytes))
      return null
    }
  })
  // With the options above, an unclosed quote is the only possible error.
  parser.on("error", () => {
    failed = true
  })

  const unreadable = (): Unreadable | null => {
    if (failed) return { reason: "QuoteNotClosed", line: window.line }
    return window.size > maxRowBytes ? { reason: "RowTooLarge", line: window.line } : null
  }
  const taken = Effect.sync((): CsvRead => {
    const read = { rows, unreadable: unreadable() }
    rows = []
    return read
  })

  const step = (run: (done: () => void) => void): Effect.Effect<void> =>
    Effect.callback((resume) => run(() => resume(Effect.void)))

  return {
    push: Effect.fnUntraced(function* (bytes) {
      window.push(bytes)
      for (let start = 0; start < bytes.length; start += sliceBytes) {
        const slice = bytes.subarray(start, start + sliceBytes)
        yield* step((done) => parser.write(slice, () => setImmediate(done)))
      }
      return yield* taken
    }),
    end: Effect.andThen(
      step((done) => {
        parser.once("close", done)
        parser.end(() => parser.destroy())
      }),
      taken
    )
  }
}

/** Reads CSV with csv-parse. */
export const layer = Layer.succeed(CsvReader, {
  open: (source) => Effect.sync(() => open(source))
})
