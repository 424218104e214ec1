/**
 * The body decoder: whatever bytes arrive, it answers a value that JSON has, or why not.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { JsonRefusal, maxDepth, parseJson } from "../../../adapters/http/edge/body.ts"

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const many = { numRuns: 3000 }

/** What JSON holds and the service takes: no key `__proto__`, no whole number past 64 bits. */
const plainValue = fc
  .jsonValue({ depthSize: "medium" })
  .filter((value) => !/"__proto__":|\d{19}|e\+/.test(JSON.stringify(value)))

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
  it("reads what JSON.stringify writes", () => {
    fc.assert(
      fc.property(plainValue, (value) => {
        const text = JSON.stringify(value)
        expect(parseJson(bytesOf(text))).toEqual({ value: JSON.parse(text) })
      }),
      many
    )
  })

  it("answers any bytes with a value or a refusal, and takes nothing that JSON.parse does not", () => {
    const texts = fc.array(pieces, { maxLength: 30 }).map((parts) => bytesOf(parts.join("")))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 60 }), texts), (bytes) => {
        const answer = parseJson(bytes)
        if (answer instanceof JsonRefusal) {
          expect(answer.message).toMatch(/^The body /)
          return
        }
        expect(answer.value).toEqual(JSON.parse(new TextDecoder().decode(bytes)))
      }),
      many
    )
  })

  it("refuses a key given twice, however it is written and wherever it is", () => {
    fc.assert(
      fc.property(fc.string(), plainValue, plainValue, fc.nat({ max: 5 }), (key, one, two, depth) => {
        fc.pre(key !== "__proto__")
        const escaped = [...key].map((char) =>
          char.length > 1 ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`
        )
        const twice = `{${JSON.stringify(key)}:${JSON.stringify(one)},"${escaped.join("")}":${JSON.stringify(two)}}`
        const text = `${"[".repeat(depth)}${twice}${"]".repeat(depth)}`
        expect(parseJson(bytesOf(text))).toEqual(new JsonRefusal("The body gives a key twice."))
      })
    )
  })

  it.each<readonly [string, string]>([
    ["nesting deeper than the limit", `${"[".repeat(maxDepth + 1)}${"]".repeat(maxDepth + 1)}`],
    ["a million brackets", "[".repeat(1_000_000)],
    ["__proto__", '{"__proto__":{"admin":true}}'],
    ["a number past a double", "[1e400]"],
    ["a whole number past 64 bits", '{"n":12345678901234567890123}'],
    ["a comment", "{} // done"],
    ["nothing", ""]
  ])("refuses %s", (_name, text) => {
    expect(parseJson(bytesOf(text))).toBeInstanceOf(JsonRefusal)
  })

  it("takes nesting up to the limit, and numbers up to 64 bits", () => {
    const nested = `${"[".repeat(maxDepth)}${"]".repeat(maxDepth)}`
    expect(parseJson(bytesOf(nested))).not.toBeInstanceOf(JsonRefusal)
    expect(parseJson(bytesOf("[9007199254740991,-0.5,1e-300]"))).toEqual({
      value: [9007199254740991, -0.5, 1e-300]
    })
  })
})
