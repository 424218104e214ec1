/**
 * Property tests of the strict JSON parser: any bytes yield a JSON value or a reason.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { maxDepth } from "../../../adapters/http/json/JsonScan.ts"
import { parseJson } from "../../../adapters/http/json/StrictJson.ts"

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const many = { numRuns: 3000 }

/** JSON values that the service accepts: no key `__proto__`. */
const plainValue = fc
  .jsonValue({ depthSize: "medium" })
  .filter((value) => !/"__proto__":/.test(JSON.stringify(value)))

const pieces = fc.constantFrom(
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"a"',
  '"a":1',
  '"\\u0061":2',
  '"\\ud800"',
  '"',
  "\\",
  "1e400",
  "-0",
  "12345678901234567890",
  "null",
  "tru",
  " ",
  "\u0000",
  "\ufeff"
)

describe("parseJson", () => {
  it("parses what JSON.stringify writes", () => {
    fc.assert(
      fc.property(plainValue, (value) => {
        const text = JSON.stringify(value)
        expect(parseJson(bytesOf(text))).toEqual(Result.succeed(JSON.parse(text)))
      }),
      many
    )
  })

  it("returns a value or a reason for any bytes, and accepts nothing that JSON.parse rejects", () => {
    const texts = fc.array(pieces, { maxLength: 30 }).map((parts) => bytesOf(parts.join("")))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 60 }), texts), (bytes) => {
        const parsed = parseJson(bytes)
        if (Result.isFailure(parsed)) expect(parsed.failure.reason).toMatch(/^The body /)
        else expect(parsed.success).toEqual(JSON.parse(new TextDecoder().decode(bytes)))
      }),
      many
    )
  })

  it("rejects a key given twice, escaped or not, at any depth", () => {
    fc.assert(
      fc.property(fc.string(), plainValue, plainValue, fc.nat({ max: 5 }), (key, one, two, depth) => {
        fc.pre(key !== "__proto__")
        const escaped = [...key].map((char) =>
          char.length > 1 ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`
        )
        const twice = `{${JSON.stringify(key)}:${JSON.stringify(one)},"${escaped.join("")}":${JSON.stringify(two)}}`
        const text = `${"[".repeat(depth)}${twice}${"]".repeat(depth)}`
        expect(parseJson(bytesOf(text))).toMatchObject({ failure: { reason: "The body gives a key twice." } })
      })
    )
  })

  it.each<readonly [string, string]>([
    ["nesting deeper than the limit", `${"[".repeat(maxDepth + 1)}${"]".repeat(maxDepth + 1)}`],
    ["a million brackets", "[".repeat(1_000_000)],
    ["__proto__", '{"__proto__":{"admin":true}}'],
    ["a number beyond a double", "[1e400]"],
    ["a comment", "{} // done"],
    ["nothing", ""]
  ])("rejects %s", (_name, text) => {
    expect(Result.isFailure(parseJson(bytesOf(text)))).toBe(true)
  })

  it("accepts nesting up to the limit, and numbers of any double", () => {
    const nested = `${"[".repeat(maxDepth)}${"]".repeat(maxDepth)}`
    expect(Result.isSuccess(parseJson(bytesOf(nested)))).toBe(true)
    expect(parseJson(bytesOf("[9007199254740991,-0.5,1e-300,1e300]"))).toEqual(
      Result.succeed([9007199254740991, -0.5, 1e-300, 1e300])
    )
  })
})
