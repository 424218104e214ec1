/**
 * Tests of exact decimals: a JSON number is preserved digit by digit.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { exactDecimalOf, maxExactDigits, padDecimal } from "../../../core/shared/Decimal.ts"
import { minorDigits, parseCurrency } from "../../../core/shared/Currency.ts"

describe("exactDecimalOf", () => {
  it("returns every decimal of up to 15 digits as it was written, through JSON and back", () => {
    const decimal = fc
      .tuple(
        fc.boolean(),
        fc.bigInt({ min: 0n, max: 10n ** BigInt(maxExactDigits) - 1n }),
        fc.nat({ max: maxExactDigits })
      )
      .map(([negative, digits, scale]) => {
        const padded = digits.toString().padStart(scale + 1, "0")
        const whole = padded.slice(0, padded.length - scale)
        const fraction = padded.slice(padded.length - scale).replace(/0+$/, "")
        const text = fraction === "" ? whole : `${whole}.${fraction}`
        return negative && digits !== 0n ? `-${text}` : text
      })
    fc.assert(
      fc.property(decimal, (text) => {
        expect(exactDecimalOf(JSON.parse(text) as number)).toBe(text)
        expect(exactDecimalOf(JSON.parse(`${text}e0`) as number)).toBe(text)
      }),
      { numRuns: 5000 }
    )
  })

  it("returns null or a decimal of the same number, of at most 15 digits", () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        const text = exactDecimalOf(value)
        if (text === null) return
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/)
        expect(text.replaceAll(/^-?0\.|\D/g, "").length).toBeLessThanOrEqual(maxExactDigits)
        expect(Number(text)).toBe(value + 0)
      })
    )
  })

  it.each([0.1 + 0.2, 1e15, -1e15, 1e-16, 5e-324, 1.7e308, 9007199254740992, Infinity, NaN])(
    "returns null for %d",
    (value) => expect(exactDecimalOf(value)).toBeNull()
  )

  it.each([
    [-0, "0"],
    [1e-15, "0.000000000000001"],
    [999_999_999_999_999, "999999999999999"],
    [1e14, "100000000000000"],
    [1.5e-7, "0.00000015"]
  ])("answers %d as %s", (value, text) => expect(exactDecimalOf(value)).toBe(text))
})

describe("amounts", () => {
  it("are padded to the digits of their currency", () => {
    expect(padDecimal("19.9", minorDigits("EUR"))).toBe("19.90")
    expect(padDecimal("19", minorDigits("JPY"))).toBe("19")
    expect(padDecimal("19.125", minorDigits("USD"))).toBe("19.125")
    expect(padDecimal("0", minorDigits("KWD"))).toBe("0.000")
  })

  it("have a currency of ISO 4217", () => {
    expect(parseCurrency(" eur ")).toBe("EUR")
    for (const code of ["", "EU", "EURO", "XXX", "123", "€"]) expect(parseCurrency(code)).toBeNull()
  })
})
