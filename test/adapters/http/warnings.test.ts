/**
 * Tests of the header that reports a call's warnings.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { maxWarningsHeader, warningsHeader } from "../../../adapters/http/edge/warnings.ts"
import { Warnings } from "../../../core/kernel/Warnings.ts"

const code = "unknown_field"

const headerOf = (fields: ReadonlyArray<string>, more = 0): string => {
  const warnings = new Warnings()
  for (const field of fields) warnings.add({ code, params: { field } })
  warnings.addMore(more)
  return warningsHeader(warnings)
}

describe("the header of warnings", () => {
  it("lists each code with its parameters", () => {
    expect(headerOf(["one", "two"])).toBe(`${code};field="one", ${code};field="two"`)
    expect(headerOf(["one"], 3)).toBe(`${code};field="one", more;count=3`)
  })

  it("escapes what ends a string, and percent-encodes what is no printable ASCII", () => {
    expect(headerOf(['a"b\\c\r\nd é \ud800'])).toBe(`${code};field="a\\"b\\\\c%0D%0Ad %C3%A9 %EF%BF%BD"`)
  })

  it("is printable and bounded for any values", () => {
    const anyFields = fc.array(fc.string({ unit: "binary", maxLength: 400 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(anyFields, fc.nat(), (fields, more) => {
        const header = headerOf(fields, more)
        expect(header).toMatch(/^[\x20-\x7e]+$/)
        expect(header.length).toBeLessThanOrEqual(maxWarningsHeader)
      })
    )
  })
})
