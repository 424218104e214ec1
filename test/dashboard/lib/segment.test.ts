/**
 * Tests the rules of a segment as the dashboard edits them, and their sentences.
 *
 * @module
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import {
  fieldChoices,
  kinds,
  operatorsOf as operatorsOfKind,
  parseDefinition
} from "../../../core/audience/segments/SegmentRules.ts"
import { choicesIn, nameIn } from "../../../dashboard/src/lib/choices.ts"
import {
  clauseOf,
  emptyValue,
  isEntered,
  offeredOperators,
  operatorsOf,
  type Parts,
  type Rule,
  ruleOf,
  sentenceOf,
  type Takes,
  takesOf,
  withOperator,
  type Words
} from "../../../dashboard/src/lib/segment.ts"
import { trendOf } from "../../../dashboard/src/lib/trend.ts"

const scope = { fields: [], topics: [] }

const parts: Parts = {
  fields: fieldChoices(scope),
  operators: Object.fromEntries(kinds.map((kind) => [kind, operatorsOfKind(kind)]))
}

const campaignId = "01890a5d-ac96-774b-bcce-b302099a8057"

const words: Words = {
  everybody: "Everyone.",
  sentence: (join, clauses) => `${join}: ${clauses.join("; ")}.`,
  nameOf: ({ key }) => key,
  event: (name) => `event ${name}`,
  campaign: (id) => `campaign ${id}`,
  operators: { Equals: "is", HappenedAtLeast: "happened at least", InLastDays: "was in the last" },
  quoted: (text) => `“${text}”`,
  chosen: (choice, value) => (value === "AT" ? `${choice} Austria` : null),
  date: (day) => `day ${day}`,
  either: (names) => names.join(" or "),
  number: String,
  between: (from, to) => `${from} and ${to}`,
  days: (count) => `${count} days`,
  times: (count, days) => `${count} times in ${days} days`,
  blank: "…"
}

/** A value that a person could enter, for each type of input. */
const entered: Readonly<Record<Takes, unknown>> = {
  Nothing: null,
  Text: "Wien",
  Texts: ["Wien", "Graz"],
  Number: 2,
  Range: { from: 1, to: 2 },
  Date: "2026-01-31",
  Days: 7,
  Counts: { count: 1, days: 7 }
}

describe("a rule of a segment", () => {
  const keys = [...parts.fields.map(({ key }) => key), "events.order.placed", `campaigns.${campaignId}`]
  const everyRule = keys.flatMap((fieldKey) =>
    operatorsOf(fieldKey, parts).map(({ operator }) => ({ fieldKey, operator }))
  )

  it("is accepted by the service once all of it is entered, for every field and operator", () => {
    for (const rule of everyRule) {
      const value = entered[takesOf(rule, parts)]
      const whole = { ...rule, value }
      expect([rule, isEntered(whole, parts)]).toEqual([rule, true])
      const parsed = parseDefinition({ join: "All", rules: [whole] }, scope)
      expect([rule, Result.isSuccess(parsed)]).toEqual([rule, true])
      expect(clauseOf(whole, parts, words)).not.toContain("…")
    }
  })

  it("says with a blank what is not entered yet", () => {
    for (const rule of everyRule) {
      const whole = { ...rule, value: emptyValue(takesOf(rule, parts)) }
      expect([rule, clauseOf(whole, parts, words).includes("…")]).toEqual([rule, !isEntered(whole, parts)])
    }
  })

  it("keeps its value with an operator that takes the same, and only with such", () => {
    const rule: Rule = { fieldKey: "city", operator: "Equals", value: "Wien" }
    expect(withOperator(rule, "Contains", parts)).toEqual({ ...rule, operator: "Contains" })
    expect(withOperator(rule, "In", parts)).toEqual({ ...rule, operator: "In", value: [] })
    expect(withOperator(rule, "IsSet", parts).value).toBeNull()
  })

  it("compares a value of a list as a whole, and keeps an operator that it has", () => {
    const offered = (operator: string) =>
      offeredOperators({ fieldKey: "countryCode", operator }, parts).map((one) => one.operator)
    expect(offered("Equals")).toEqual(["Equals", "NotEquals", "In", "NotIn", "IsSet", "IsNotSet"])
    expect(offered("Contains")).toContain("Contains")
    expect(offeredOperators({ fieldKey: "city", operator: "Equals" }, parts)).toEqual(
      operatorsOf("city", parts)
    )
  })

  it("offers countries and languages by name, each once", () => {
    const countries = choicesIn("de", "region")
    expect(countries.find(({ value }) => value === "AT")).toEqual({ value: "AT", label: "Österreich" })
    expect(new Set(countries.map(({ label }) => label)).size).toBe(countries.length)
    expect(countries.length).toBeGreaterThan(240)
    const labels = choicesIn("en", "language", ["pt-BR", "??"]).map(({ label }) => label)
    expect(labels).toEqual(expect.arrayContaining(["Brazilian Portuguese", "??", "Arabic"]))
    expect(nameIn("en", "region", "Austria")).toBeNull()
  })

  it("begins with the first operator of its field", () => {
    expect(ruleOf("city", parts)).toEqual({ fieldKey: "city", operator: "Equals", value: "" })
    expect(ruleOf("lastOpenAt", parts).operator).toBe("Before")
    expect(isEntered(ruleOf("events.", parts), parts)).toBe(false)
    expect(isEntered(ruleOf("campaigns.", parts), parts)).toBe(false)
    expect(ruleOf("campaigns.", parts).operator).toBe("WasSent")
    expect(ruleOf("campaigns.any", parts).operator).toBe("SentAtLeast")
  })
})

describe("the sentence of a segment", () => {
  it("names everybody where there is no rule", () => {
    expect(sentenceOf({ join: "Any", rules: [] }, parts, words)).toBe("Everyone.")
  })

  it("has a clause for each rule", () => {
    const rules = [
      { fieldKey: "city", operator: "Equals", value: " Wien " },
      { fieldKey: "events.order.placed", operator: "HappenedAtLeast", value: { count: 2, days: 30 } },
      { fieldKey: "lastOpenAt", operator: "InLastDays", value: 7 },
      { fieldKey: `campaigns.${campaignId}`, operator: "Opened", value: null },
      { fieldKey: "campaigns.", operator: "Opened", value: null }
    ]
    expect(sentenceOf({ join: "Any", rules }, parts, words)).toBe(
      "Any: city is “Wien”; event order.placed happened at least 2 times in 30 days; lastOpenAt was in the last 7 days; campaign 01890a5d-ac96-774b-bcce-b302099a8057 Opened; … Opened."
    )
  })

  it("names countries and days as the reader does, and calls operators as their fields do", () => {
    const operators = { "topics.IsTrue": "is on", IsTrue: "is true" }
    const sentence = (...rules: ReadonlyArray<Rule>) =>
      sentenceOf({ join: "All", rules }, parts, { ...words, operators })
    expect(sentence({ fieldKey: "countryCode", operator: "In", value: ["AT", "XX"] })).toBe(
      "All: countryCode In Country Austria or “XX”."
    )
    expect(sentence({ fieldKey: "countryCode", operator: "Contains", value: "AT" })).toContain("“AT”")
    expect(sentence({ fieldKey: "addedAt", operator: "After", value: "2031-01-02" })).toBe(
      "All: addedAt After day 2031-01-02."
    )
    expect(sentence({ fieldKey: "topics.news", operator: "IsTrue" })).toBe("All: topics.news is on.")
    expect(sentence({ fieldKey: "isPayingCustomer", operator: "IsTrue" })).toBe(
      "All: isPayingCustomer is true."
    )
    expect(sentence({ fieldKey: "city", operator: "Equals", value: "" })).toBe("All: city Equals …")
  })

  it("is drawn for a field that was archived since", () => {
    const rules = [{ fieldKey: "attributes.gone", operator: "Equals", value: "x" }]
    expect(sentenceOf({ join: "All", rules }, parts, words)).toBe("All: attributes.gone is “x”.")
  })
})

describe("the trend of a segment", () => {
  const now = Date.UTC(2031, 0, 4, 12)
  const present = { segmentId: "one", count: 9, sendableCount: 4 }
  const size = (date: string, count: number, segmentId = "one") => ({
    segmentId,
    date,
    count,
    sendableCount: 1
  })

  it("has each day since the first, and ends with what is counted now", () => {
    const sizes = [
      size("2031-01-03", 7),
      size("2031-01-01", 5),
      size("2031-01-04", 8),
      size("2030-12-01", 1, "other")
    ]
    expect(trendOf(sizes, present, now).map(({ count, date }) => [date, count])).toEqual([
      ["2031-01-01", 5],
      ["2031-01-02", 5],
      ["2031-01-03", 7],
      ["2031-01-04", 9]
    ])
  })

  it("is today alone where nothing was counted before", () => {
    expect(trendOf([size("2031-01-04", 8)], present, now)).toEqual([
      { date: "2031-01-04", count: 9, sendableCount: 4 }
    ])
  })
})
