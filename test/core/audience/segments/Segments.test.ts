import { createHash } from "node:crypto"
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { builtInSegments } from "../../../../core/audience/segments/BuiltInSegments.ts"
import { newContact } from "../../../../core/model/Contact.ts"
import type { SegmentDefinition } from "../../../../core/model/SegmentDefinition.ts"
import { matches, type Person } from "../../../../core/audience/segments/SegmentEvaluator.ts"
import {
  fieldChoices,
  kinds,
  operatorsOf,
  parseDefinition,
  type DefinitionWrite
} from "../../../../core/audience/segments/SegmentRules.ts"
import { compareDecimals, decimalOf } from "../../../../core/shared/Decimal.ts"
import { foldCase } from "../../../../core/shared/Validate.ts"
import { isUuid } from "../../../../core/shared/Uuid.ts"
import { anyText } from "../../arbitraries.ts"
import { definition, fields, now, person, topics } from "./segmentArbitraries.ts"

const scope = { fields, topics }

const pathPattern = /^definition\.rules(\[\d+\]\.(fieldKey|operator|value))?$/

const parsed = (write: DefinitionWrite): SegmentDefinition =>
  Result.getOrThrow(parseDefinition(write, scope)).definition

const noPast = { timeline: [], campaignEmails: [], convertedBy: [] }

const people: fc.Arbitrary<Person> = person.map(
  ({ campaignEmails, contact, convertedBy, events, isErased }) => ({
    campaignEmails,
    convertedBy,
    contact: { ...newContact("id", "person@example.com", now), ...contact, erasedAt: isErased ? now : null },
    timeline: events
  })
)

describe("foldCase", () => {
  it("lowercases each code point by itself", () => {
    const folded = [
      ["ADA", "ada"],
      ["İI", "ii"],
      ["ı", "ı"],
      ["ẞß", "ßß"],
      ["ΟΔΟΣ", "οδοσ"],
      ["οδος", "οδοσ"],
      ["E\u0301", "e\u0301"],
      ["𐐀", "𐐨"]
    ]
    for (const [text, expected] of folded) expect(foldCase(text!)).toBe(expected)
  })

  it("folds parts like the whole, and does not change a folded string", () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        fc.pre(a.isWellFormed() && b.isWellFormed())
        expect(foldCase(a + b)).toBe(foldCase(a) + foldCase(b))
        expect(foldCase(foldCase(a))).toBe(foldCase(a))
      })
    )
  })
})

describe("decimals", () => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true })

  it("have plain notation and the order of the numbers", () => {
    fc.assert(
      fc.property(finite, finite, (a, b) => {
        expect(decimalOf(a)).toMatch(/^-?\d+(\.\d+)?$/)
        expect(Number(decimalOf(a))).toBe(a + 0)
        expect(Math.sign(compareDecimals(decimalOf(a), decimalOf(b)))).toBe(
          Math.sign(a === b ? 0 : a < b ? -1 : 1)
        )
      })
    )
  })

  it("compare by value, whatever their notation", () => {
    const ordered = [
      "-10",
      "-9.99",
      "-0.1",
      "-0.01",
      "0",
      "0.01",
      "0.1",
      "9",
      "10.5",
      "12345678901234567890.1"
    ]
    ordered.forEach((a, left) =>
      ordered.forEach((b, right) =>
        expect(Math.sign(compareDecimals(a, b)), `${a} ${b}`).toBe(Math.sign(left - right))
      )
    )
    for (const [a, b] of [
      ["0", "-0.00"],
      ["1", "1.0"],
      ["007.50", "7.5"]
    ])
      expect(compareDecimals(a!, b!)).toBe(0)
  })
})

describe("parseDefinition", () => {
  it("returns a document that parses into the same definition", () => {
    fc.assert(
      fc.property(definition, (write) => {
        const first = parseDefinition(write, scope)
        const { document } = Result.getOrThrow(first)
        expect(parseDefinition(document, scope)).toEqual(first)
        expect(parseDefinition(JSON.parse(JSON.stringify(document)), scope)).toEqual(first)
      })
    )
  })

  it("rejects every other definition with issues that name their paths", () => {
    const rule = fc.record(
      {
        fieldKey: fc.oneof(anyText, fc.constantFrom("city", "orderCount", "addedAt", "tags", "events.x")),
        operator: fc.oneof(anyText, fc.constantFrom("Equals", "In", "Between", "On", "InLastDays", "HasAny")),
        value: fc.jsonValue()
      },
      { requiredKeys: ["fieldKey", "operator"] }
    )
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 60 }), (rules) => {
        const result = parseDefinition({ join: "All", rules }, scope)
        const issues = Result.isFailure(result) ? result.failure.issues : []
        expect(issues.every(({ code }) => code.startsWith("segments."))).toBe(true)
        expect(issues.every(({ field }) => pathPattern.test(field ?? ""))).toBe(true)
        expect(issues[0]?.code === "segments.too_many_rules").toBe(rules.length > 50)
        if (Result.isSuccess(result)) expect(result.success.definition.rules).toHaveLength(rules.length)
      })
    )
  })
})

describe("matches", () => {
  it.each([
    ["Equals", "NotEquals", "city", "Wien"],
    ["Contains", "NotContains", "attributes.text", "a"],
    ["In", "NotIn", "firstName", ["ada", "é"]],
    ["Equals", "NotEquals", "attributes.number", 0.3],
    ["InLastDays", "NotInLastDays", "lastOpenAt", 2],
    ["HasAny", "HasNone", "tags", ["ADA", "é"]],
    ["HappenedAtLeast", "HappenedLessThan", "events.bought", { count: 2, days: 3 }],
    ["IsSet", "IsNotSet", "attributes.list", null],
    ["IsTrue", "IsFalse", "topics.off", null]
  ])(
    "evaluates %s and %s as opposites for contacts that are not erased",
    (operator, opposite, fieldKey, value) => {
      const plain = parsed({ join: "All", rules: [{ fieldKey, operator, value }] })
      const reverse = parsed({ join: "All", rules: [{ fieldKey, operator: opposite, value }] })
      fc.assert(
        fc.property(people, (each) => {
          const picks = [matches(plain, each, now), matches(reverse, each, now)]
          expect(picks.filter(Boolean)).toHaveLength(each.contact.erasedAt === null ? 1 : 0)
        })
      )
    }
  )

  it("joins rules by all or any, and matches every contact without rules", () => {
    fc.assert(
      fc.property(definition, people, ({ rules }, each) => {
        const single = rules.map((rule) => matches(parsed({ join: "All", rules: [rule] }), each, now))
        const alive = each.contact.erasedAt === null
        expect(matches(parsed({ join: "All", rules }), each, now)).toBe(alive && single.every(Boolean))
        const some = rules.length === 0 || single.some(Boolean)
        expect(matches(parsed({ join: "Any", rules }), each, now)).toBe(alive && some)
      })
    )
  })

  it("counts UTC days, today included", () => {
    const start = Date.UTC(2031, 4, 6)
    const day = 86_400_000
    const pick = (operator: string, days: number, at: number) => {
      const write = { join: "All", rules: [{ fieldKey: "lastOpenAt", operator, value: days }] }
      const contact = { ...newContact("id", "a@b.example", now), lastOpenAt: at }
      return matches(parsed(write), { ...noPast, contact }, now)
    }
    expect(
      [start - day - 1, start - day, now, start + day - 1, start + day].map((at) => pick("InLastDays", 1, at))
    ).toEqual([false, true, true, true, false])
    expect(
      [start - 1, start, start + 2 * day - 1, start + 2 * day].map((at) => pick("InNextDays", 1, at))
    ).toEqual([false, true, true, false])
  })
})

describe("built-in segments", () => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

  it("are valid for an account without fields and topics", () => {
    for (const { definition: document } of builtInSegments("account", sha256)) {
      const result = parseDefinition(document, { fields: [], topics: [] })
      expect(Result.getOrThrow(result)).toMatchObject({ document })
    }
  })

  it("have ids derived from the account and the key", () => {
    const ids = (accountId: string) => builtInSegments(accountId, sha256).map((segment) => segment.id)
    expect(ids("a")).toEqual(ids("a"))
    const both = [...ids("a"), ...ids("b")]
    expect(new Set(both).size).toBe(both.length)
    expect(both.every(isUuid)).toBe(true)
  })
})

describe("what a rule can be made of", () => {
  const samples = {
    Nothing: null,
    Text: "a",
    Texts: ["a"],
    Number: 1,
    Range: [1, 2],
    Date: "2026-01-31",
    Days: 3,
    Counts: { count: 1, days: 2 }
  }
  const choices = [...fieldChoices(scope), { key: "events.bought", kind: "Events" as const }]
  const names = new Set(kinds.flatMap((kind) => operatorsOf(kind).map(({ operator }) => operator)))

  it("is accepted by the parser, and nothing else is", () => {
    for (const { key, kind } of choices) {
      const offered = new Map(operatorsOf(kind).map(({ operator, takes }) => [operator, takes]))
      for (const operator of names) {
        const takes = offered.get(operator)
        const value = samples[takes ?? "Nothing"]
        const result = parseDefinition({ join: "All", rules: [{ fieldKey: key, operator, value }] }, scope)
        expect([key, operator, Result.isSuccess(result)]).toEqual([key, operator, takes !== undefined])
      }
    }
  })

  it("leaves out archived fields and topics", () => {
    const keys = fieldChoices({
      fields: fields.map((field) => ({ ...field, archivedAt: now })),
      topics: topics.map((topic) => ({ ...topic, isArchived: true }))
    }).map(({ key }) => key)
    expect(keys.filter((key) => key.includes("."))).toEqual(["campaigns.any"])
  })
})
