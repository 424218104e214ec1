/**
 * Tests of the rules of imports: mappings, rows, delimiters, the error report.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { delimiters } from "../../../../core/model/ContactImport.ts"
import { parseContactWrite } from "../../../../core/audience/contacts/ContactWrite.ts"
import {
  type ColumnTarget,
  ownMapping,
  parseColumns
} from "../../../../core/audience/imports/ImportMapping.ts"
import { importFields, proofFields } from "../../../../core/model/ContactImport.ts"
import {
  attributeValueOf,
  detectDelimiter,
  errorOfRow,
  headerOf,
  parseRow,
  personOfRow,
  type RowFormat
} from "../../../../core/audience/imports/ImportRows.ts"
import { cellsOfReport, csvLine, isReport, reportOf } from "../../../../core/audience/imports/ImportReport.ts"
import { catalogue, type Code, Problem } from "../../../../core/shared/Problem.ts"

const targets = [
  ...importFields,
  ...proofFields.map((field) => `consent.proof.${field}`),
  "consent.basis",
  "attributes.plan",
  "attributes.score",
  "topics.news",
  "ignored"
]

const column: fc.Arbitrary<ColumnTarget> = fc.oneof(
  fc.constantFrom(...importFields).map((field): ColumnTarget => ({ _tag: "Field", field })),
  fc.constantFrom(...proofFields).map((field): ColumnTarget => ({ _tag: "Proof", field })),
  fc.constantFrom<ColumnTarget>(
    { _tag: "Attribute", key: "plan" },
    { _tag: "Attribute", key: "score" },
    { _tag: "Attribute", key: "__proto__" },
    { _tag: "Topic", key: "news" },
    { _tag: "Basis" },
    { _tag: "Ignored" }
  )
)

const cell = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("", " ", "Ada@Example.org", "Subscribed", "yes", "0", "1e3", "2024-01-02", "\0")
)

const formatOf = (columns: ReadonlyArray<ColumnTarget>): RowFormat => ({
  columns,
  consent: null,
  types: new Map([["score", "Number"]])
})

describe("parseColumns", () => {
  it("accepts every target once, whatever the names of the columns", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string(), { minLength: 3, maxLength: 12 }),
        fc.shuffledSubarray(targets.filter((target) => target !== "email")),
        (header, picked) => {
          const mapping = Object.fromEntries(
            header.slice(1).map((name, index) => [name, picked[index] ?? "ignored"])
          )
          const columns = parseColumns({ ...mapping, [header[0]!]: "email" }, header)
          if (Object.hasOwn(mapping, header[0]!) || header.includes("__proto__")) return
          expect(Result.getOrThrow(columns)[0]).toEqual({ _tag: "Field", field: "email" })
        }
      )
    )
  })

  it.each([
    "Email",
    "attributes.",
    "attributes",
    "attributes.a b",
    "topics.",
    "consent",
    "consent.proof.x",
    "",
    "tags"
  ])("rejects the target %j", (target) => {
    const columns = parseColumns({ a: target }, ["a"])
    expect(Result.merge(columns)).toMatchObject({
      issues: [{ code: "audience.import_mapping_invalid", field: "mapping.a" }]
    })
  })

  it("returns the fields that the header names, and ignores columns without a name", () => {
    expect(Result.getOrThrow(parseColumns(ownMapping(["", "email", ""]), ["", "email", ""]))).toEqual([
      { _tag: "Ignored" },
      { _tag: "Field", field: "email" },
      { _tag: "Ignored" }
    ])
  })
})

describe("parseRow", () => {
  it("returns a write that can be parsed, or a problem, whatever the cells", () => {
    fc.assert(
      fc.property(
        fc
          .array(column, { maxLength: 8 })
          .chain((columns) => fc.tuple(fc.constant(columns), fc.array(cell, { maxLength: 9 }))),
        ([columns, cells]) => {
          const write = parseRow(cells, formatOf(columns))
          if (cells.length !== columns.length) {
            expect(Result.merge(write)).toMatchObject({ issues: [{ code: "audience.import_row_columns" }] })
          }
          if (Result.isSuccess(write)) parseContactWrite(write.success, 0)
          const person = personOfRow(cells, write)
          const problem = Problem.of("validation.email")
          const stored = errorOfRow({ line: 1, cells, person, problem, isErased: false })
          expect(JSON.stringify(stored)).not.toContain("\\u0000")
          expect(stored.cells).toHaveLength(cells.length)
        }
      )
    )
  })

  it("leaves out empty cells", () => {
    const columns = targets.flatMap((target) => {
      const parsed = parseColumns({ a: target, b: "email" }, ["a", "b"])
      return Result.isFailure(parsed) ? [] : [parsed.success[0]!]
    })
    expect(
      parseRow(
        columns.map(() => "  "),
        formatOf(columns)
      )
    ).toEqual(Result.succeed({ attributes: {}, topics: {} }))
  })

  it("overrides the consent of all rows, field by field", () => {
    const columns: ReadonlyArray<ColumnTarget> = [{ _tag: "Basis" }, { _tag: "Proof", field: "locale" }]
    const consent = { basis: "Subscribed", proof: { text: "Yes", locale: "en" } }
    const read = (...cells: ReadonlyArray<string>) =>
      Result.merge(parseRow(cells, { ...formatOf(columns), consent }))
    expect(read("", "de")).toMatchObject({
      consent: { basis: "Subscribed", proof: { text: "Yes", locale: "de" } }
    })
    expect(read("Customer", "")).toMatchObject({ consent: { basis: "Customer", proof: { locale: "en" } } })
  })

  it.each([
    ["Number", "-1.5e2", -150],
    ["Number", ".5", 0.5],
    ["Number", "1,5", "1,5"],
    ["Number", "0x10", "0x10"],
    ["Number", "Infinity", "Infinity"],
    ["Boolean", "Yes", true],
    ["Boolean", "OFF", false],
    ["Boolean", "2", "2"],
    ["TextList", " a | b,c || ", ["a", "b,c"]],
    ["TextList", "a; b", ["a", "b"]],
    ["Text", "007", "007"],
    ["Date", "2024-01-02", "2024-01-02"],
    [undefined, "1", "1"]
  ] as const)("parses a %s cell %j as %j", (type, given, value) => {
    expect(attributeValueOf(given, type)).toEqual(value)
  })
})

describe("errorOfRow", () => {
  it("returns only the line and the issues of an erased person's row", () => {
    const problem = Problem.of("audience.contact_erased", "email")
    const person = { email: "ada@example.org", externalId: "7" }
    const cells = ["ada@example.org", "Ada"]
    expect(errorOfRow({ line: 3, cells, person, problem, isErased: true })).toEqual({
      line: 3,
      issues: problem.issues,
      email: null,
      externalId: null,
      cells: null
    })
  })
})

describe("personOfRow", () => {
  it("returns the first address in a row that cannot be parsed", () => {
    const rejected = Result.fail(Problem.of("audience.import_row_columns"))
    expect(personOfRow(["x", " Ada@Example.ORG ", "b@example.org"], rejected).email).toBe("ada@example.org")
  })
})

describe("detectDelimiter", () => {
  it("finds the delimiter of any header with two columns or more", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...delimiters),
        fc.array(fc.stringMatching(/^[A-Za-z -]+$/), { minLength: 2, maxLength: 8 }),
        fc.boolean(),
        (delimiter, names, quoted) => {
          const header = names.map((name) => (quoted ? `"${name},;,;|"` : name)).join(delimiter)
          expect(detectDelimiter(`\ufeff${header}\r\n1,2,3,4,5,6,7,8,9\n`)).toBe(delimiter)
        }
      )
    )
  })

  it("returns a comma where there is none", () => {
    expect(detectDelimiter("")).toBe(",")
    expect(detectDelimiter("email\na;b;c")).toBe(",")
  })
})

describe("headerOf", () => {
  it("rejects a header without names, or with a name that cannot be stored", () => {
    expect(headerOf(["", " "], null)).toBeNull()
    expect(headerOf(["a", "b\0"], null)).toBeNull()
    expect(headerOf([" a ", ""], null)).toEqual(["a", ""])
  })
})

describe("the report of errors", () => {
  const given = fc.oneof(
    fc.stringMatching(/^['=+@\t＝＠-]{0,3}[a-z,"' \n]{0,3}$/),
    fc.constant("+49 30 123456")
  )
  const code = fc.constantFrom(...(Object.keys(catalogue) as ReadonlyArray<Code>))
  /** The rows of a report. No cell of this test contains a quote, comma or line end. */
  const rowsOf = (csv: string) =>
    csv
      .split("\r\n")
      .slice(0, -1)
      .map((line) => line.split(","))

  it("gives back every cell when it is imported again, and never a formula", () => {
    const plain = given.map((text) => text.replaceAll(/[,"\n]/g, ""))
    fc.assert(
      fc.property(
        fc.array(plain, { minLength: 1, maxLength: 4 }),
        code,
        fc.boolean(),
        (cells, found, hasField) => {
          const header = cells.map((_, index) => `column${index}`)
          const issues = Problem.of(found, hasField ? "attributes.plan" : null).issues
          const error = { line: 7, issues, email: null, externalId: null, cells }
          const [, row = []] = rowsOf(reportOf({ header, mapping: {} }, [error]))
          expect(row.every((one) => !/^[=+\-@\t\r＝＠]/.test(one))).toBe(true)
          expect(cellsOfReport(row).slice(2)).toEqual(cells)
        }
      )
    )
  })

  it("protects the header, and names its own columns once", () => {
    const header = ["=cmd", "'-x", "email"]
    const mapping = { email: "email" }
    const report = reportOf({ header, mapping }, [])
    expect(report).toBe("line,codes,'=cmd,''-x,email\r\n")
    const again = headerOf(rowsOf(report)[0]!, mapping)!
    expect(again).toEqual(["line", "codes", ...header])
    expect(reportOf({ header: again, mapping }, [])).toBe(report)
    expect(ownMapping(["line", "codes", "email"])).toEqual({
      line: "ignored",
      codes: "ignored",
      email: "email"
    })
    // A customer's own file that has such columns.
    expect(isReport(again, { line: "attributes.line", email: "email" })).toBe(false)
    expect(cellsOfReport(["7", "a note", "'=1"])).toEqual(["7", "a note", "'=1"])
  })
})

describe("csvLine", () => {
  it("quotes cells where necessary", () => {
    expect(csvLine(["a", "b,c", 'd"e', "f\ng", ""])).toBe('a,"b,c","d""e","f\ng",\r\n')
  })
})
