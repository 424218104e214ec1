/**
 * Tests of parsing and matching MTA-STS policies (RFC 8461).
 *
 * @module
 */
import { assert, property, string } from "fast-check"
import { describe, expect, it } from "vitest"
import { announcedId, namesServer, parseStsPolicy } from "../../../../core/sending/security/StsRules.ts"
import { daneTerms, stsTerms, usableRecords } from "../../../../core/sending/security/TermsRules.ts"

const policy = (...lines: ReadonlyArray<string>) => lines.join("\r\n")

describe("the record of a policy", () => {
  it.each([
    [["v=STSv1; id=20260101T000000;"], "20260101T000000"],
    [["v=STSv1;id=a"], "a"],
    [["v=STSv1 ; ext=1; id=a;"], "a"],
    [["v=spf1 -all", "v=STSv1; id=a"], "a"],
    [["v=STSv1; id=a", "v=STSv1; id=b"], null],
    [["v=STSv1; id=a; id=b"], null],
    [["v=STSv1; id="], null],
    [["v=STSv1; id=a-b"], null],
    [[`v=STSv1; id=${"a".repeat(33)}`], null],
    [["v=STSv12; id=a"], null],
    [["id=a; v=STSv1"], null],
    [[], null]
  ])("%j announces %j", (texts, id) => {
    expect(announcedId(texts)).toBe(id)
  })
})

describe("a policy", () => {
  it("is read with its mail servers, and without fields that are not known", () => {
    const text = policy(
      "version: STSv1",
      "mode:enforce ",
      "mx: MX.Example.org",
      "mx: *.example.net",
      "",
      "x-a: b"
    )
    expect(parseStsPolicy(`${text}\nmax_age: 604800\nmax_age: 5\n`)).toEqual({
      mode: "enforce",
      mx: ["mx.example.org", "*.example.net"],
      maxAge: 604_800
    })
    expect(parseStsPolicy("version: STSv1\nmode: none\nmax_age: 9999999999")).toEqual({
      mode: "none",
      mx: [],
      maxAge: 31_557_600
    })
  })

  it.each([
    "",
    "<html></html>",
    "version: STSv1\nmode: enforce\nmax_age: 1",
    "version: STSv2\nmode: none\nmax_age: 1",
    "version: STSv1\nmode: Enforce\nmx: a\nmax_age: 1",
    "version: STSv1\nmode: enforce\nmx: a..b\nmax_age: 1",
    "version: STSv1\nmode: enforce\nmx: *\nmax_age: 1",
    "version: STSv1\nmode: enforce\nmx: a.*.b\nmax_age: 1",
    "version: STSv1\nmode: enforce\nmx: a\nmax_age: -1",
    "version: STSv1\nmode: enforce\nmx: a\nmax_age: 12345678901",
    "version: STSv1\nmode: enforce\nmx: a"
  ])("%j is invalid", (text) => {
    expect(parseStsPolicy(text)).toBeNull()
  })

  it.each([
    [
      "a mark of UTF-8 before it",
      "\ufeffversion: STSv1\nmode: enforce\nmx: a.example\nmax_age: 86400\n",
      "enforce",
      86_400
    ],
    [
      "its version last, and no end of the last line",
      "mx: a.example\nmax_age: 86400\nmode: testing\nversion: STSv1",
      "testing",
      86_400
    ],
    [
      "fields given twice, of which the first counts",
      "version: STSv1\nversion: STSv2\nmode: testing\nmode: enforce\nmx: a.example\nmax_age: 60\nmax_age: 0",
      "testing",
      60
    ],
    [
      "fields that are not known",
      "version: STSv1\nx-new.field_1: a: b, c\nMode: enforce\nmode: testing\nmx: a.example\nmax_age: 60",
      "testing",
      60
    ],
    [
      "spaces and tabs at the ends of lines",
      "version:STSv1 \t\r\nmode:\ttesting\r\nmx:   a.example \r\nmax_age: 60 \r\n\r\n",
      "testing",
      60
    ],
    ["an age of nothing", "version: STSv1\nmode: testing\nmx: a.example\nmax_age: 0", "testing", 0],
    [
      "the longest age",
      "version: STSv1\nmode: testing\nmx: a.example\nmax_age: 31557601",
      "testing",
      31_557_600
    ]
  ])("is read with %s", (_, text, mode, maxAge) => {
    expect(parseStsPolicy(text)).toEqual({ mode, mx: ["a.example"], maxAge })
  })

  it.each([
    ["lines that carriage returns alone end", "version: STSv1\rmode: testing\rmx: a.example\rmax_age: 60\r"],
    ["a name in capitals", "Version: STSv1\nmode: testing\nmx: a.example\nmax_age: 60"],
    ["a line without a name", "version: STSv1\nmode: testing\nmx: a.example\nmax_age: 60\n: x"],
    ["a line without a colon", "version: STSv1\nmode: testing\nmx: a.example\nmax_age: 60\nenforce"],
    ["a field without a value", "version: STSv1\nmode: testing\nmx: a.example\nmax_age: 60\nx:"],
    ["a fraction as age", "version: STSv1\nmode: testing\nmx: a.example\nmax_age: 60.5"],
    ["a sign before its age", "version: STSv1\nmode: testing\nmx: a.example\nmax_age: +60"],
    ["a testing policy without servers", "version: STSv1\nmode: testing\nmax_age: 60"],
    ["an address as server", "version: STSv1\nmode: enforce\nmx: [192.0.2.1]\nmax_age: 60"],
    ["two asterisks", "version: STSv1\nmode: enforce\nmx: *.*.example\nmax_age: 60"],
    ["part of a label as asterisk", "version: STSv1\nmode: enforce\nmx: mx*.example\nmax_age: 60"],
    [
      "a server of 256 characters",
      `version: STSv1\nmode: enforce\nmx: ${`${"a".repeat(63)}.`.repeat(4)}a\nmax_age: 60`
    ],
    [
      "64 KB and more",
      `version: STSv1\nmode: testing\nmx: a.example\nmax_age: 60\n${"x: y\n".repeat(13_200)}`
    ]
  ])("with %s is invalid", (_, text) => {
    expect(parseStsPolicy(text)).toBeNull()
  })

  it("is read from any text without an error", () => {
    assert(
      property(string({ unit: "binary", maxLength: 300 }), (text) => {
        for (const given of [text, `version: STSv1\nmode: enforce\nmx: ${text}\nmax_age: 1`]) {
          const rules = parseStsPolicy(given)
          if (rules !== null) expect(rules.mode === "none" || rules.mx.length > 0).toBe(true)
        }
        announcedId([text, `v=STSv1;${text}`])
      })
    )
  })

  it("names servers exactly, and one label by an asterisk", () => {
    const rules = { mode: "enforce", mx: ["mx.example.org", "*.pool.example.org"], maxAge: 1 } as const
    for (const host of ["mx.example.org", "MX.example.org.", "a.pool.example.org"])
      expect(namesServer(rules, host)).toBe(true)
    for (const host of [
      "example.org",
      "a.mx.example.org",
      "pool.example.org",
      "a.b.pool.example.org",
      "org",
      ""
    ])
      expect(namesServer(rules, host)).toBe(false)
  })
})

describe("the terms of a host", () => {
  it("refuse a host that an enforced policy does not name, and report it in testing", () => {
    const rules = { mx: ["mx.example.org"], maxAge: 1 } as const
    expect(stsTerms({ ...rules, mode: "enforce" }, "mx.example.net", "offered").refusal).toBe(
      "sts_mx_mismatch"
    )
    expect(stsTerms({ ...rules, mode: "testing" }, "mx.example.net", "offered")).toMatchObject({
      refusal: null,
      isRequired: false,
      isTesting: true
    })
    expect(stsTerms({ ...rules, mode: "testing" }, "mx.example.org", "required").isRequired).toBe(true)
    expect(stsTerms({ ...rules, mode: "none" }, "mx.example.net", "offered").policy).toBe("no-policy-found")
  })

  it("use TLSA records of DANE-TA and DANE-EE alone", () => {
    const data = "ab".repeat(32)
    const published = [0, 1, 2, 3, 4].flatMap((usage) =>
      [0, 1, 2].flatMap((selector) => [0, 1, 2, 3].map((matching) => ({ usage, selector, matching, data })))
    )
    const usable = usableRecords(published)
    expect(new Set(usable.map(({ usage }) => usage))).toEqual(new Set([2, 3]))
    expect(new Set(usable.map(({ selector }) => selector))).toEqual(new Set([0, 1]))
    // A SHA-512 digest has another length, and no certificate or key consists of such bytes.
    expect(new Set(usable.map(({ matching }) => matching))).toEqual(new Set([1]))
  })

  it.each([
    [0, "3003020101", true],
    [0, `30820100${"05".repeat(256)}`, true],
    [0, `3081ff${"05".repeat(255)}`, true],
    [0, "", false],
    [0, "30", false],
    [0, "3080", false],
    [0, "3003020101ff", false],
    [0, "30040201ff", false],
    [0, "0403020101", false],
    [0, "30ff01", false],
    [0, `30822100${"05".repeat(0x2100)}`, false],
    [1, "ab".repeat(32), true],
    [1, "ab".repeat(31), false],
    [1, "", false],
    [2, "ab".repeat(64), true],
    [2, "ab".repeat(32), false],
    [3, "ab".repeat(32), false],
    [255, "ab".repeat(32), false]
  ])("have data of their matching %d, case %#", (matching, data, isUsable) => {
    for (const usage of [2, 3])
      for (const selector of [0, 1])
        expect(usableRecords([{ usage, selector, matching, data }])).toHaveLength(isUsable ? 1 : 0)
    for (const [usage, selector] of [
      [0, 0],
      [1, 1],
      [4, 0],
      [255, 1],
      [3, 2],
      [2, 255]
    ] as const)
      expect(usableRecords([{ usage, selector, matching, data }])).toEqual([])
  })

  it("are encryption under any certificate where no TLSA record is usable, and the usable ones alone count otherwise", () => {
    const data = "ab".repeat(32)
    const pkix = { usage: 1, selector: 1, matching: 1, data }
    const broken = { usage: 3, selector: 1, matching: 1, data: "ab" }
    expect(daneTerms([pkix, broken], ["mx.example"])).toMatchObject({
      refusal: null,
      isRequired: true,
      certificate: null,
      policy: "tlsa"
    })
    const ee = { usage: 3, selector: 1, matching: 1, data }
    expect(daneTerms([pkix, ee, broken], ["mx.example"]).certificate).toEqual({
      _tag: "Dane",
      records: [ee],
      names: ["mx.example"]
    })
  })
})
