/**
 * Tests of the rules of contact fields: keys, labels, types and values (docs/contributing/public-api.md "Contact field
 * definition", docs/contributing/decisions.md 3).
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { AttributeValue } from "../../../../core/model/Contact.ts"
import { type FieldType, fieldTypes } from "../../../../core/model/ContactField.ts"
import {
  checkValue,
  inferType,
  isKey,
  isSameValue,
  readableKey,
  fieldKeyError
} from "../../../../core/audience/fields/FieldRules.ts"
import { type Issue, issue } from "../../../../core/shared/Problem.ts"
import { isStorable, parseDateTime } from "../../../../core/shared/Validate.ts"
import { anyText, textOf } from "../../arbitraries.ts"

const isIssue = (checked: AttributeValue | Issue): checked is Issue =>
  typeof checked === "object" && "code" in checked

const mismatch = (max?: number) =>
  issue("audience.attribute_type_mismatch", "attributes.a", max === undefined ? null : { max })

const check = (type: FieldType, value: unknown) => checkValue(type, value, "attributes.a")

describe("keys", () => {
  it.each(["a", "plan", "plan_2", "a_", "constructor", "x".repeat(40)])("accepts the key %s", (key) => {
    expect(isKey(key)).toBe(true)
    expect(fieldKeyError(key)).toBeUndefined()
  })

  it.each(["", "_a", "2a", "Plan", "pläne", "a-b", "a b", "a.b", "a\n", "__proto__", "x".repeat(41)])(
    "rejects the key %j",
    (key) => {
      expect(fieldKeyError(key)).toBe("audience.attribute_key_invalid")
    }
  )

  it.each([
    "id",
    "email",
    "phone",
    "tags",
    "attributes",
    "firstName",
    "lastConversionAt",
    "first_name",
    "external_id"
  ])("reserves the key %s", (key) => {
    expect(fieldKeyError(key)).toBe("audience.attribute_reserved")
  })

  it.each([
    ["plan", "Plan"],
    ["trial_ends_at", "Trial ends at"],
    ["a__b_", "A b"]
  ])("returns the readable form of %s", (key, label) => {
    expect(readableKey(key)).toBe(label)
  })

  it("returns a label that is not empty and not longer than its key", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-z0-9_]{0,39}$/), (key) => {
        const label = readableKey(key)
        expect(label).toBe(label.trim())
        expect(label.length).toBeGreaterThan(0)
        expect(label.length).toBeLessThanOrEqual(key.length)
      })
    )
  })
})

describe("values", () => {
  it.each<[FieldType, unknown, AttributeValue]>([
    ["Text", " pro ", "pro"],
    ["Text", "", ""],
    ["Text", "x".repeat(1000), "x".repeat(1000)],
    ["Number", -0, 0],
    ["Number", 1e308, 1e308],
    ["Boolean", false, false],
    ["Date", " 2028-02-29 ", "2028-02-29"],
    ["DateTime", "2031-04-06T07:08:09+02:00", "2031-04-06T05:08:09.000Z"],
    ["DateTime", "2031-04-06T07:08Z", "2031-04-06T07:08:00.000Z"],
    ["TextList", [], []],
    ["TextList", [" a", "a"], ["a", "a"]],
    ["TextList", Array(100).fill("x".repeat(200)), Array(100).fill("x".repeat(200))]
  ])("parses a %s %j as %j", (type, value, parsed) => {
    expect(check(type, value)).toEqual(parsed)
  })

  it.each<[FieldType, unknown, Issue]>([
    ["Text", 1, mismatch()],
    ["Text", ["a"], mismatch()],
    ["Text", "x".repeat(1001), mismatch(1000)],
    ["Text", "a\0", issue("validation.format", "attributes.a")],
    ["Number", "1", mismatch()],
    ["Number", Infinity, mismatch()],
    ["Number", Number.NaN, mismatch()],
    ["Boolean", "true", mismatch()],
    ["Boolean", 0, mismatch()],
    ["Date", "2027-02-29", mismatch()],
    ["Date", "2027-2-9", mismatch()],
    ["Date", "2031-04-06T07:08:09Z", mismatch()],
    ["Date", 20270101, mismatch()],
    ["DateTime", "2031-04-06", mismatch()],
    ["DateTime", "2031-04-06T07:08:09", mismatch()],
    ["DateTime", 1_900_000_000_000, mismatch()],
    ["TextList", "a", mismatch()],
    ["TextList", ["a", 1], mismatch()],
    ["TextList", { 0: "a" }, mismatch()],
    ["TextList", Array(101).fill("a"), mismatch(100)],
    ["TextList", ["a", "x".repeat(201)], mismatch(200)],
    ["TextList", ["\ud800"], issue("validation.format", "attributes.a")]
  ])("refuses as a %s %j", (type, value, refusal) => {
    expect(check(type, value)).toMatchObject(refusal)
  })

  const anyValue = fc.oneof(
    fc.jsonValue(),
    anyText,
    textOf(["2031", "-04", "-06", "T07:08", ":09", "Z", "+02:00"]),
    fc.array(anyText, { maxLength: 3 })
  )

  it("parses a parsed value into the same value, and returns only values that can be stored", () => {
    fc.assert(
      fc.property(fc.constantFrom(...fieldTypes), anyValue, (type, value) => {
        const parsed = check(type, value)
        if (isIssue(parsed)) return
        const again = check(type, parsed)
        expect(again).toEqual(parsed)
        expect(isSameValue(parsed, again as AttributeValue)).toBe(true)
        for (const text of [parsed].flat()) if (typeof text === "string") expect(isStorable(text)).toBe(true)
      }),
      { numRuns: 3000 }
    )
  })

  it("accepts every value that any type accepts for its inferred type", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const takers = fieldTypes.filter((type) => !isIssue(check(type, value)))
        const inferred = inferType(value)
        if (takers.length > 0) expect(takers).toContain(inferred)
        // Text also accepts dates and date-times; the narrower type is inferred.
        if (takers.length > 1) expect(inferred).not.toBe("Text")
        if (typeof value === "string") {
          expect(inferred === "DateTime").toBe(parseDateTime(value) !== null)
        }
      }),
      { numRuns: 3000 }
    )
  })

  it("compares values", () => {
    expect(isSameValue(["a"], ["a"])).toBe(true)
    expect(isSameValue(["a"], ["a", "b"])).toBe(false)
    expect(isSameValue(["a", "b"], ["b", "a"])).toBe(false)
    expect(isSameValue("1", 1)).toBe(false)
    expect(isSameValue(["a"], "a")).toBe(false)
  })
})
