/**
 * Reading and matching of MTA-STS policies (RFC 8461).
 *
 * @module
 */
import { assert, property, string } from "fast-check"
import { describe, expect, it } from "vitest"
import { announcedId, namesServer, parseStsPolicy } from "../../../../core/sending/security/StsRules.ts"
import { stsTerms, usableRecords } from "../../../../core/sending/security/TermsRules.ts"

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
    // A digest of SHA-512 has another length.
    expect(new Set(usable.map(({ matching }) => matching))).toEqual(new Set([0, 1]))
  })
})
