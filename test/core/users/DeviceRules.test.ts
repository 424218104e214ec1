import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { codeBytes, comparableCode, userCodeOf } from "../../../core/users/signin/DeviceRules.ts"

describe("the code of a device", () => {
  it("has eight consonants, and is the same however it is typed", () => {
    const bytes = fc.uint8Array({ minLength: codeBytes, maxLength: codeBytes, max: 239 })
    fc.assert(
      fc.property(bytes, fc.constantFrom("", " ", "-", "."), (random, between) => {
        const code = userCodeOf(random)
        expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
        const typed = [...code.replace("-", "").toLowerCase()].join(between)
        expect(comparableCode(typed)).toBe(code.replace("-", ""))
      })
    )
  })

  it("is made of all letters alike", () => {
    const counts = new Map<string, number>()
    for (let byte = 0; byte < 240; byte++) {
      const [letter = ""] = userCodeOf(new Uint8Array(codeBytes).fill(byte))
      counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
    expect([counts.size, new Set(counts.values())]).toEqual([20, new Set([12])])
  })

  it("is none for anything else", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect([0, 8]).toContain(comparableCode(text).length)
      })
    )
    expect(comparableCode("BCDF-GHJ")).toBe("")
    expect(comparableCode(`${" ".repeat(100)}BCDFGHJK`)).toBe("")
  })
})
