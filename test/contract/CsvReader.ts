/**
 * The contract of `core/ports/CsvReader`: the rows do not depend on how the bytes are split, nor on where reading resumes.
 *
 * @module
 */
import { describe, expect, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { csvLine } from "../../core/audience/imports/ImportReport.ts"
import { CsvReader, type CsvRow, type CsvSource, type Unreadable } from "../../core/ports/CsvReader.ts"

const start = { offset: 0, line: 1 }
const encoder = new TextEncoder()

/** Reads all bytes, passed in chunks of the given sizes. */
const readBy = (
  { open }: CsvReader["Service"],
  bytes: Uint8Array,
  pieces: ReadonlyArray<number>,
  source: Partial<CsvSource> = {}
) =>
  Effect.gen(function* () {
    const reading = yield* open({ delimiter: ",", from: start, maxRowBytes: 10_000, ...source })
    const rows: Array<CsvRow> = []
    let unreadable: Unreadable | null = null
    let offset = 0
    for (let index = 0; offset < bytes.length; index++) {
      const next = offset + (pieces[index % pieces.length] ?? bytes.length)
      const found = yield* reading.push(bytes.subarray(offset, next))
      rows.push(...found.rows)
      unreadable ??= found.unreadable
      offset = next
    }
    const last = yield* reading.end
    return { rows: [...rows, ...last.rows], unreadable: unreadable ?? last.unreadable }
  }).pipe(Effect.runPromise)

type Read = (
  bytes: Uint8Array,
  pieces: ReadonlyArray<number>,
  source?: Partial<CsvSource>
) => ReturnType<typeof readBy>

const cell = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 6 }).map((text) => text.replaceAll("\ufeff", "")),
  fc.constantFrom("", "a,b", '"', '""', "\n", "\r\n", "x\ny", "\r", " ")
)
// A row with a single empty field would be an empty line, which is not a row.
const table = fc
  .array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 })
  .map((rows) => rows.map((cells) => cells.map((text) => text.toWellFormed())))
const pieces = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 })

/** Tests of the port `CsvReader`. */
export const csvReaderContract = (it: Vitest.MethodsNonLive<CsvReader>): void => {
  const test = (title: string, run: (read: Read) => Promise<void>): void =>
    it.effect(title, () =>
      Effect.flatMap(CsvReader, (reader) => Effect.promise(() => run((...given) => readBy(reader, ...given))))
    )

  describe("CsvReader", () => {
    test("reads the rows that were written, wherever the bytes are cut, with and without a BOM", async (read) => {
      await fc.assert(
        fc.asyncProperty(table, pieces, fc.boolean(), async (rows, cuts, bom) => {
          const bytes = encoder.encode((bom ? "\ufeff" : "") + rows.map(csvLine).join(""))
          const found = await read(bytes, cuts)
          expect(found.unreadable).toBeNull()
          expect(found.rows.map(({ cells }) => cells)).toEqual(rows)
          expect(found.rows.at(-1)!.next.offset).toBe(bytes.length)
        })
      )
    })

    test("resumes where any row begins", async (read) => {
      await fc.assert(
        fc.asyncProperty(table, pieces, fc.nat(), async (rows, cuts, pick) => {
          const bytes = encoder.encode(`\ufeff\n${rows.map(csvLine).join("\n\r\n")}`)
          const whole = (await read(bytes, [bytes.length])).rows
          const at = pick % whole.length
          const from = whole[at]!.next
          const rest = await read(bytes.subarray(from.offset), cuts, { from })
          expect(rest.rows).toEqual(whole.slice(at + 1))
        })
      )
    })

    test("counts lines as an editor does, inside quotes too", async (read) => {
      const bytes = encoder.encode('a,b\r\n\r\n"1\r\n\r\n2",x\n"3\n4",y\r5,z')
      const { rows } = await read(bytes, [1])
      expect(rows.map(({ cells, line }) => [line, ...cells])).toEqual([
        [1, "a", "b"],
        [3, "1\r\n\r\n2", "x"],
        [6, "3\n4", "y"],
        [8, "5", "z"]
      ])
    })

    test("accepts a quote inside a field, and rows of any width", async (read) => {
      const bytes = encoder.encode('say "hi",1\n"a"b,2\none\n1,2,3\n')
      const { rows, unreadable } = await read(bytes, [3])
      expect(rows.map(({ cells }) => cells)).toEqual([
        ['say "hi"', "1"],
        ['"a"b', "2"],
        ["one"],
        ["1", "2", "3"]
      ])
      expect(unreadable).toBeNull()
    })

    test("reports the line of a quote that is never closed, after the rows before it", async (read) => {
      const bytes = encoder.encode('a,b\n1,2\n\n3,"4\n5,6\n')
      for (const size of [1, 4, 100]) {
        const { rows, unreadable } = await read(bytes, [size])
        expect(rows.map(({ line }) => line)).toEqual([1, 2])
        expect(unreadable).toEqual({ reason: "QuoteNotClosed", line: 4 })
      }
    })

    test("stops at a row that is too large before the file ends", async (read) => {
      const bytes = encoder.encode(`a,b\n1,2\n3,"${"x,y\n".repeat(5_000)}`)
      const { rows, unreadable } = await read(bytes, [1_000])
      expect(rows.map(({ line }) => line)).toEqual([1, 2])
      expect(unreadable).toEqual({ reason: "RowTooLarge", line: 3 })
    })

    test("reads no rows from an empty file", async (read) => {
      for (const text of ["", "\n", "\ufeff", "\r\n\r\n"]) {
        expect(await read(encoder.encode(text), [1])).toEqual({ rows: [], unreadable: null })
      }
    })
  })
}
