/**
 * The header that reports the warnings of a call.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { maxWarningsHeader, warningsHeader } from "../../../adapters/http/edge/warnings.ts"
import { Warnings } from "../../../core/kernel/Warnings.ts"

const code = "request.unknown_field"

const headerOf = (messages: ReadonlyArray<string>, more = 0): string => {
  const warnings = new Warnings()
  for (const message of messages) warnings.add({ code, message })
  warnings.addMore(more)
  return warningsHeader(warnings)
}

describe("the header of warnings", () => {
  it("lists each code with its message", () => {
    expect(headerOf(["one", "two"])).toBe(`${code};message="one", ${code};message="two"`)
    expect(headerOf(["one"], 3)).toBe(`${code};message="one", more;count=3`)
  })

  it("escapes what ends a string, and shows no control characters", () => {
    expect(headerOf(['a"b\\c\r\nSet-Cookie: d=é'])).toBe(`${code};message="a\\"b\\\\c??Set-Cookie: d=?"`)
  })

  it("is printable and bounded for any messages", () => {
    const anyMessages = fc.array(fc.string({ unit: "binary", maxLength: 400 }), {
      minLength: 1,
      maxLength: 30
    })
    fc.assert(
      fc.property(anyMessages, fc.nat(), (messages, more) => {
        const header = headerOf(messages, more)
        expect(header).toMatch(/^[\x20-\x7e]+$/)
        expect(header.length).toBeLessThanOrEqual(maxWarningsHeader)
      })
    )
  })
})
