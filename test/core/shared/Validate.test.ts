/**
 * Tests of validating plain values: strings, date-times, country codes, languages and IP addresses
 * (docs/contributing/decisions.md 2).
 *
 * @module
 */
import { isIP } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { isIpAddress, parseCountry, parseLanguage } from "../../../core/shared/Locale.ts"
import type { Issue } from "../../../core/shared/Problem.ts"
import {
  checkText,
  formatDateTime,
  isStorable,
  nearest,
  parseDateTime
} from "../../../core/shared/Validate.ts"
import { anyText, longTexts, textOf } from "../arbitraries.ts"

const day = 86_400_000
const from = Date.UTC(1001, 0, 1)
const until = Date.UTC(9999, 11, 30)

const dateTimeText = textOf([
  "2031-04-06T07:08:09Z",
  "2031",
  "-04",
  "-06",
  "T07:08",
  ":09",
  ".123",
  "Z",
  "z",
  "+05:30",
  "-0800",
  " "
])

describe("checkText", () => {
  it("trims, and rejects strings that are too long or cannot be stored", () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 30 }), (text, max) => {
        const issues: Array<Issue> = []
        const trimmed = checkText(text, "field", max, issues)
        expect(trimmed).toBe(text.trim())
        const expected = !isStorable(text.trim())
          ? [{ code: "validation.format", field: "field", params: null }]
          : trimmed.length > max
            ? [{ code: "validation.max_length", field: "field", params: { max } }]
            : []
        expect(issues).toMatchObject(expected)
        expect(issues).toHaveLength(expected.length)
      })
    )
  })

  it("accepts exactly the strings that UTF-8 without NUL can encode", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const carried = Buffer.from(text, "utf8")
        expect(isStorable(text)).toBe(carried.toString("utf8") === text && !carried.includes(0))
      })
    )
  })
})

describe("parseDateTime", () => {
  it.each([
    ["2031-04-06T07:08:09Z", "2031-04-06T07:08:09.000Z"],
    ["2031-04-06T07:08Z", "2031-04-06T07:08:00.000Z"],
    ["2031-04-06T07:08:09.5Z", "2031-04-06T07:08:09.500Z"],
    ["2031-04-06T07:08:09.123456789Z", "2031-04-06T07:08:09.123Z"],
    ["2031-04-06T07:08:09+05:30", "2031-04-06T01:38:09.000Z"],
    ["2031-04-06T00:30:00+01:00", "2031-04-05T23:30:00.000Z"],
    ["2031-12-31T23:59:59-01:00", "2032-01-01T00:59:59.000Z"],
    ["2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["  2031-04-06T07:08:09Z  ", "2031-04-06T07:08:09.000Z"]
  ])("reads %j", (text, expected) => {
    expect(formatDateTime(parseDateTime(text)!)).toBe(expected)
  })

  it.each([
    "",
    "now",
    "1933225689000",
    "2031-04-06",
    "2031-04-06T07:08:09",
    "2031-04-06 07:08:09Z",
    "2031-13-01T00:00:00Z",
    "2031-00-01T00:00:00Z",
    "2031-02-29T00:00:00Z",
    "2031-04-31T00:00:00Z",
    "2031-04-00T00:00:00Z",
    "2031-04-06T24:01:00Z",
    "2031-04-06T07:60:00Z",
    "2031-04-06T07:08:61Z",
    "2031-4-6T07:08:09Z",
    "31-04-06T07:08:09Z",
    "2031-04-06T07:08:09+24:00",
    "2031-04-06T07:08:09-00:60",
    "2031-04-06T07:08:09+99:99",
    "9999-12-31T23:59:59-01:00",
    "1000-01-01T00:00:00+01:00",
    "2031-04-06T07:08:09Z\n2031-04-06T07:08:09Z",
    "٢٠٣١-04-06T07:08:09Z"
  ])("refuses %j", (text) => {
    expect(parseDateTime(text)).toBeNull()
  })

  it("parses any instant in any offset", () => {
    const part = (value: number) => String(value).padStart(2, "0")
    fc.assert(
      fc.property(
        fc.integer({ min: from, max: until }),
        fc.integer({ min: -14 * 60, max: 14 * 60 }),
        (millis, offset) => {
          const wall = new Date(millis + offset * 60_000).toISOString().slice(0, -1)
          const minutes = Math.abs(offset)
          const sign = offset < 0 ? "-" : "+"
          const zone = `${sign}${part(Math.floor(minutes / 60))}:${part(minutes % 60)}`
          expect(parseDateTime(wall + zone)).toBe(millis)
          expect(parseDateTime(formatDateTime(millis))).toBe(millis)
        }
      )
    )
  })

  it("accepts every day that exists and no other", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1900, max: 2400 }),
        fc.integer({ min: 0, max: 13 }),
        fc.integer({ min: 0, max: 32 }),
        (year, month, date) => {
          const text = `${year}-${String(month).padStart(2, "0")}-${String(date).padStart(2, "0")}`
          const real = new Date(Date.UTC(year, month - 1, date)).toISOString().slice(0, 10) === text
          expect(parseDateTime(`${text}T00:00:00Z`) !== null).toBe(real)
        }
      ),
      { numRuns: 500 }
    )
  })

  it("returns an instant or null for any string", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, dateTimeText), (text) => {
        const millis = parseDateTime(text)
        if (millis === null) return
        expect(Number.isInteger(millis)).toBe(true)
        expect(Math.abs(millis - Date.UTC(2031, 3, 6))).toBeLessThan(4_000_000 * day)
      }),
      { numRuns: 3000 }
    )
    for (const text of longTexts) expect(parseDateTime(text)).toBeNull()
  })
})

describe("Locale", () => {
  it("accepts the 249 codes of ISO 3166-1 in any case, and returns upper case", () => {
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    const codes = letters
      .flatMap((a) => letters.map((b) => a + b))
      .filter((code) => parseCountry(code) === code)
    expect(codes.length).toBe(249)
    for (const code of codes) expect(parseCountry(` ${code.toLowerCase()} `)).toBe(code)
    for (const code of ["XX", "UK", "EU", "ZZ", "D", "DEU", "", "D E"]) expect(parseCountry(code)).toBeNull()
    for (const code of codes) {
      expect(new Intl.DisplayNames("en", { type: "region", fallback: "none" }).of(code)).toBeDefined()
    }
  })

  it("parses languages by BCP 47", () => {
    expect(parseLanguage(" de ")).toBe("de")
    expect(parseLanguage("EN-us")).toBe("en-US")
    expect(parseLanguage("zh-hant-tw")).toBe("zh-Hant-TW")
    for (const text of ["", "e", "english language", "en_US", "de-", "de-DE-\0"]) {
      expect(parseLanguage(text)).toBeNull()
    }
  })

  it("returns what it accepts again", () => {
    const tag = textOf(["de", "EN", "-us", "-latn", "-u-nu-latn", "-x-abc", "zh", "-419", "i-klingon", "-"])
    fc.assert(
      fc.property(fc.oneof(anyText, tag, fc.string({ maxLength: 2 })), (text) => {
        const language = parseLanguage(text)
        if (language !== null) expect(parseLanguage(language)).toBe(language)
        const country = parseCountry(text)
        if (country !== null) expect(parseCountry(country)).toBe(country)
      }),
      { numRuns: 2000 }
    )
    for (const text of longTexts) {
      expect(parseLanguage(text)).toBeNull()
      expect(parseCountry(text)).toBeNull()
    }
  })

  it("accepts IP addresses as the operating system does", () => {
    const parts = textOf([
      "1",
      "255",
      "256",
      ".",
      "::",
      ":",
      "fe80",
      "::ffff:",
      "10.1.2.3",
      "01.2.3.4",
      "g",
      "[",
      "]",
      "/8",
      "%0"
    ])
    fc.assert(
      fc.property(fc.oneof(anyText, parts, fc.ipV4(), fc.ipV6()), (text) => {
        fc.pre(!text.includes("%"))
        expect(isIpAddress(text)).toBe(isIP(text) !== 0)
      }),
      { numRuns: 3000 }
    )
    for (const text of longTexts) expect(isIpAddress(text)).toBe(false)
  })
})

describe("the nearest known name", () => {
  const known = ["firstName", "email", "html", "url"]

  it.each([
    ["firstname", "firstName"],
    ["first_name", "firstName"],
    ["First-Name", "firstName"],
    ["emial", "email"],
    ["emails", "email"],
    ["htlm", "html"],
    ["uri", "url"],
    ["name", null],
    ["x", null],
    ["", null],
    ["e".repeat(100_000), null]
  ])("of %s is %s", (name, expected) => {
    expect(nearest(name, known)).toBe(expected)
  })

  it("is the name itself where it is known", () => {
    for (const name of known) expect(nearest(name, known)).toBe(name)
  })
})
