/**
 * The rules of imports: mappings, rows as writes, delimiters, the error report.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { delimiters } from "../../../../core/model/ContactImport.ts"
import { checkContactWrite } from "../../../../core/audience/contacts/ContactWrite.ts"
import { columnsOf, type ColumnTarget, ownMapping } from "../../../../core/audience/imports/ImportMapping.ts"
import { importFields, proofFields } from "../../../../core/model/ContactImport.ts"
import {
  attributeValueOf,
  csvLine,
  detectDelimiter,
  errorOfRow,
  headerOf,
  personOfRow,
  type RowPlan,
  writeOfRow
} from "../../../../core/audience/imports/ImportRows.ts"
import { Problem } from "../../../../core/shared/Problem.ts"

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

const plan = (columns: ReadonlyArray<ColumnTarget>): RowPlan => ({
  columns,
  consent: null,
  types: new Map([["score", "Number"]])
})

describe("a mapping", () => {
  it("takes every target once, whatever the columns are called", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string(), { minLength: 3, maxLength: 12 }),
        fc.shuffledSubarray(targets.filter((target) => target !== "email")),
        (header, picked) => {
          const mapping = Object.fromEntries(
            header.slice(1).map((name, index) => [name, picked[index] ?? "ignored"])
          )
          const columns = columnsOf({ ...mapping, [header[0]!]: "email" }, header)
          if (Object.hasOwn(mapping, header[0]!) || header.includes("__proto__")) return
          expect(columns).not.toBeInstanceOf(Problem)
          expect((columns as ReadonlyArray<ColumnTarget>)[0]).toEqual({ _tag: "Field", field: "email" })
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
  ])("refuses the target %j", (target) => {
    const columns = columnsOf({ a: target }, ["a"])
    expect(columns).toMatchObject({
      issues: [{ code: "audience.import_mapping_invalid", field: "mapping.a" }]
    })
  })

  it("of a file whose headers are fields is those fields; columns without a name are ignored", () => {
    expect(columnsOf(ownMapping(["", "email", ""]), ["", "email", ""])).toEqual([
      { _tag: "Ignored" },
      { _tag: "Field", field: "email" },
      { _tag: "Ignored" }
    ])
  })
})

describe("a row", () => {
  it("becomes a write that can be checked, or says why not; whatever it holds", () => {
    fc.assert(
      fc.property(
        fc
          .array(column, { maxLength: 8 })
          .chain((columns) => fc.tuple(fc.constant(columns), fc.array(cell, { maxLength: 9 }))),
        ([columns, cells]) => {
          const write = writeOfRow(cells, plan(columns))
          if (cells.length !== columns.length) {
            expect(write).toMatchObject({ issues: [{ code: "audience.import_row_columns" }] })
          }
          if (!(write instanceof Problem)) checkContactWrite(write)
          const person = personOfRow(cells, write)
          const kept = errorOfRow(1, Problem.of("validation.email"), cells, person, false)
          expect(JSON.stringify(kept)).not.toContain("\\u0000")
          expect(kept.cells).toHaveLength(cells.length)
        }
      )
    )
  })

  it("never clears: an empty field is left out", () => {
    const columns = targets.flatMap((target) => {
      const found = columnsOf({ a: target, b: "email" }, ["a", "b"])
      return found instanceof Problem ? [] : [found[0]!]
    })
    expect(
      writeOfRow(
        columns.map(() => "  "),
        plan(columns)
      )
    ).toEqual({ attributes: {}, topics: {} })
  })

  it("overrides the consent given for all rows, field by field", () => {
    const columns: ReadonlyArray<ColumnTarget> = [{ _tag: "Basis" }, { _tag: "Proof", field: "locale" }]
    const consent = { basis: "Subscribed", proof: { text: "Yes", locale: "en" } }
    const read = (...cells: ReadonlyArray<string>) => writeOfRow(cells, { ...plan(columns), consent })
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
  ] as const)("reads %s %j as %j", (type, text, value) => {
    expect(attributeValueOf(text, type)).toEqual(value)
  })

  it("of an erased person leaves its line and nothing else", () => {
    const problem = Problem.of("audience.contact_erased", "email")
    const person = { email: "ada@example.org", externalId: "7" }
    expect(errorOfRow(3, problem, ["ada@example.org", "Ada"], person, true)).toEqual({
      line: 3,
      issues: problem.issues,
      email: null,
      externalId: null,
      cells: null
    })
  })

  it("is found by an address anywhere in it when its columns are not known", () => {
    const refused = Problem.of("audience.import_row_columns")
    expect(personOfRow(["x", " Ada@Example.ORG ", "b@example.org"], refused).email).toBe("ada@example.org")
  })
})

describe("a delimiter", () => {
  it("is found in any header of two columns or more", () => {
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

  it("is a comma where there is none", () => {
    expect(detectDelimiter("")).toBe(",")
    expect(detectDelimiter("email\na;b;c")).toBe(",")
  })
})

describe("a header", () => {
  it("is refused when it names nothing or cannot be kept", () => {
    expect(headerOf(["", " "])).toBeNull()
    expect(headerOf(["a", "b\0"])).toBeNull()
    expect(headerOf([" a ", ""])).toEqual(["a", ""])
  })

  it("of a report is quoted where it has to be", () => {
    expect(csvLine(["a", "b,c", 'd"e', "f\ng", ""])).toBe('a,"b,c","d""e","f\ng",\r\n')
  })
})
