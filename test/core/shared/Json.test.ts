/**
 * Tests of numbers in their original notation: they survive JSON and copying, and can be converted to doubles, strings or JSON.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { writtenDecimalOf } from "../../../core/shared/Decimal.ts"
import {
  isExactNumber,
  textOfNumber,
  withDoubles,
  withNumberTexts,
  withWrittenNumbers,
  writtenNumber
} from "../../../core/shared/Json.ts"

/** JSON numbers in every notation. */
const numbers = fc
  .tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 30n }),
    fc.option(fc.stringMatching(/^\d{1,30}$/)),
    fc.option(fc.stringMatching(/^[eE][+-]?\d{1,2}$/))
  )
  .map(([negative, whole, fraction, exponent]) =>
    [negative ? "-" : "", String(whole), fraction === null ? "" : `.${fraction}`, exponent ?? ""].join("")
  )

describe("writtenNumber", () => {
  it("keeps what a double does not give back, also through JSON and copies", () => {
    fc.assert(
      fc.property(numbers, (text) => {
        const written = structuredClone(JSON.parse(JSON.stringify({ a: [writtenNumber(text)] }))) as {
          readonly a: readonly [ReturnType<typeof writtenNumber>]
        }
        expect(textOfNumber(written.a[0])).toBe(text)
        expect(isExactNumber(written.a[0])).toBe(String(Number(text)) !== text)
        expect(JSON.stringify(withWrittenNumbers(written))).toBe(`{"a":[${text}]}`)
        expect(withDoubles(written)).toEqual({ a: [Number(text)] })
      })
    )
  })

  it("is the number itself where a double gives it back", () => {
    const value = { a: [1, -1.5, 1e21, "x", null, true] }
    expect(value.a.map((one) => (typeof one === "number" ? writtenNumber(String(one)) : one))).toEqual(
      value.a
    )
    expect(withWrittenNumbers(value)).toBe(value)
    expect(withNumberTexts(value)).toBe(value)
    expect(withNumberTexts({ a: writtenNumber("1.10"), b: 2 })).toEqual({ a: "1.10", b: 2 })
  })
})

describe("writtenDecimalOf", () => {
  it("returns the same number in plain notation", () => {
    fc.assert(
      fc.property(numbers, (text) => {
        const decimal = writtenDecimalOf(text)!
        expect(decimal).toMatch(/^(-(?!0$))?(0|[1-9]\d*)(\.\d*[1-9])?$/)
        expect(Number(decimal)).toBe(Number(text) + 0)
      })
    )
    expect(writtenDecimalOf("123.4560e-2")).toBe("1.23456")
    expect(writtenDecimalOf(`1${"0".repeat(1200)}e-1200`)).toBe("1")
    expect(writtenDecimalOf(`0.${"0".repeat(1200)}12e1201`)).toBe("1.2")
    for (const zero of ["0e999999", "-0.00e-99999", `0E+${"9".repeat(400)}`]) {
      expect(writtenDecimalOf(zero)).toBe("0")
    }
    for (const wide of ["1e1001", "1e-1002", `1e${"9".repeat(400)}`])
      expect(writtenDecimalOf(wide)).toBeNull()
  })
})
