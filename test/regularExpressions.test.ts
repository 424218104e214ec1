/**
 * Tests that no regular expression of the service can be made slow by its input (ReDoS, CWE-1333). Each expression is found in
 * the syntax trees and analysed.
 *
 * @module
 */
import { check } from "recheck"
import { expect, it } from "vitest"
import { answerRules } from "../core/sending/shaping/Answers.ts"
import { limitRules } from "../core/sending/shaping/StatedLimits.ts"
import { placeOf, serviceSources, walk } from "./support/sources.ts"

interface Literal {
  readonly source: string
  readonly flags: string
}

interface Found {
  readonly place: string
  /** Null for an expression that is built from a string. */
  readonly literal: Literal | null
}

/** Every regular expression of the service. */
const found = serviceSources().flatMap((source) =>
  [...walk(source.program)].flatMap(([node]): ReadonlyArray<Found> => {
    if (node.type === "Literal" && "regex" in node) {
      const { flags, pattern } = node["regex"] as { readonly pattern: string; readonly flags: string }
      return [{ place: placeOf(source, node), literal: { source: pattern, flags } }]
    }
    const callee = node["callee"] as { readonly name?: string } | undefined
    const makes =
      (node.type === "NewExpression" || node.type === "CallExpression") && callee?.name === "RegExp"
    return makes ? [{ place: placeOf(source, node), literal: null }] : []
  })
)

/**
 * Files whose expressions are not analysed, with the reason why that is safe: they parse free text, which is cut to a length
 * first.
 */
const cut: ReadonlyMap<string, string> = new Map([
  [
    "core/sending/reports/TextReport.ts",
    "a report is cut to 8,192 characters, a sender to 500, a list of addresses to 1,000"
  ]
])

/** Repetitions up to this many times cost only a constant factor, like any loop of that length. */
const mostTurns = 256

/** An expression with its bounded repetitions replaced, so that analysing it takes no time. */
const rewritten = (source: string, as: (least: number, most: number) => string): string =>
  source.replaceAll(/(?<!\\)\{(\d*),?(\d+)\}/g, (range, least: string, most: string) =>
    Number(most) > 2 ? as(Number(least), Number(most)) : range
  )

/**
 * The analysis does not support look-around, and is slow for classes of all letters. So the content of a look-ahead is treated as
 * part of the expression, a look-behind is removed, and letters are reduced to ASCII.
 */
const flattened = (source: string): string =>
  source
    .replaceAll(/\(\?<[!=](?:\\.|\[[^\]]*\]|[^()])*\)/g, "")
    .replaceAll(/\(\?[!=]/g, "(?:")
    .replaceAll(/\\p\{\w+\}/g, "\\w")

/** Without a time limit, because the result must not depend on how busy the machine is. */
const analysed = (source: string, flags: string) =>
  check(flattened(source), flags, { checker: "automaton", timeout: null })

/**
 * Analyses an expression with low repetition bounds shortened and high ones removed, which does not change whether it is slow.
 */
const judge = async ({ flags, source }: Literal): Promise<string> => {
  // Without a repetition, nothing is slow.
  if (!/[*+{]/.test(source)) return "safe"
  const bounded = rewritten(source, (least, most) => (most > mostTurns ? "*" : `{${Math.min(1, least)},2}`))
  const results = await analysed(bounded, flags)
  return results.status === "vulnerable" ? results.complexity.summary : results.status
}

/** Expressions that can begin only at the first letter of a run because of a look-behind, which makes them linear. */
const begunOnce: ReadonlySet<string> = new Set([
  /(?<!\/)\/+$/.source,
  // Part of an IPv6 address, which has eight groups.
  /(?<![^:])0(?::0)+(?![^:])/.source,
  /(?<!\S)\S{901}/.source,
  /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.source
])

it("the analysis tells slow expressions from fast ones", async () => {
  const expressions = [/^(a+)+$/, /\s+$/, /^(\w|\d)*$/, /a*b?a*c/, /^[a-z]{1,10}$/, /^a*b$/]
  const results = await Promise.all(expressions.map(judge))
  expect(results.map((word) => word === "safe")).toEqual([false, false, false, false, true, true])
})

/** Files that build expressions from strings, and why each takes linear time. */
const made: ReadonlyArray<readonly [place: string, reason: string]> = [
  ["adapters/http/edge/parameters.ts", "names of parameters, which the service chose"],
  ["adapters/templates/Mjml.ts", "names of tags, which the service chose"],
  [
    "adapters/templates/TemplateCost.ts",
    "alternatives that begin differently, none with the brace that begins a mark"
  ],
  ["core/audience/pages/ContactLinks.ts", "parts of fixed lengths between both ends"],
  ["core/audience/pages/StoredLinks.ts", "parts of fixed lengths after the account's id"],
  ["core/sending/delivery/EmailView.ts", "one repetition without the dot that ends it"],
  ["core/sending/shaping/Answers.ts", "the rules of answers.json, each analysed below"],
  ["core/sending/shaping/StatedLimits.ts", "the rules of limits.json, each analysed below"],
  ["core/sending/tracking/TrackingTokens.ts", "parts of fixed lengths between both ends"],
  ["core/sending/tracking/TrackingTokens.ts", "parts of fixed lengths between both ends"],
  ["core/sending/tracking/TrackingTokens.ts", "one repetition without the dot that ends it"]
]

it("expressions are made of strings in few places, each in linear time", () => {
  const places = found.filter(({ literal }) => literal === null).map(({ place }) => place.replace(/:.*/, ""))
  expect(places.toSorted()).toEqual(made.map(([place]) => place))
})

it(
  "every literal takes linear time, except those of one file that cuts its texts",
  { timeout: 300_000 },
  async () => {
    const literals = found.flatMap(({ literal, place }) => (literal === null ? [] : [{ literal, place }]))
    expect(literals.length).toBeGreaterThan(100)
    const results = await Promise.all(
      literals
        .filter(({ literal, place }) => !cut.has(place.replace(/:.*/, "")) && !begunOnce.has(literal.source))
        .map(async ({ literal, place }) => {
          const word = await judge(literal)
          return word === "safe" ? [] : [`${place} /${literal.source}/${literal.flags}: ${word}`]
        })
    )
    expect(results.flat()).toEqual([])
  }
)

it(
  "every rule for replies takes linear time, without look-around and back-references",
  { timeout: 300_000 },
  async () => {
    const patterns = [...answerRules, ...limitRules].flatMap(({ id, pattern }) =>
      pattern === undefined ? [] : [{ id, pattern }]
    )
    expect(patterns.length).toBeGreaterThan(20)
    expect(patterns.filter(({ pattern }) => /\(\?[=!<]|\\[1-9]|\\k</.test(pattern))).toEqual([])
    // Alternatives are linear if each of them is.
    const parts = patterns.flatMap(({ id, pattern }) => alternatives(pattern).map((part) => ({ id, part })))
    const results = await Promise.all(
      parts.map(async ({ id, part }) => {
        const word = await judge({ source: part, flags: "i" })
        return word === "safe" ? [] : [`${id} /${part}/: ${word}`]
      })
    )
    expect(results.flat()).toEqual([])
  }
)

/** The alternatives of an expression, not including those within its groups and classes. */
const alternatives = (source: string): ReadonlyArray<string> => {
  const parts = [""]
  let depth = 0
  for (const [token] of source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|[^]/g)) {
    depth += token === "(" ? 1 : token === ")" ? -1 : 0
    if (token === "|" && depth === 0) parts.push("")
    else parts[parts.length - 1] += token
  }
  return parts
}
