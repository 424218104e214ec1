/**
 * Finds, with an index, the contacts that a segment may select, if one of its rules has an index. A few of many contacts are
 * then found without reading the others.
 *
 * @module
 */
import { consentStatuses } from "../../../core/model/Consent.ts"
import type { SegmentDefinition, SegmentRule, SegmentTest } from "../../../core/model/SegmentDefinition.ts"
import { lastDays } from "../../../core/audience/segments/DayRange.ts"
import { minSubstring } from "../../../core/audience/segments/ContactFilters.ts"
import { queryKeys, topicKey } from "../../../core/audience/segments/SearchKeys.ts"
import { plainTest, spanOf, valueTest } from "../../../core/audience/segments/SegmentEvaluator.ts"
import { foldCase } from "../../../core/shared/Validate.ts"
import { timestampOf } from "./Compiler.ts"
import type { Parameters } from "./Parameters.ts"

/** The maximum number of strings of a rule that are looked up. */
const maxTexts = 20

/** The text columns by which contacts are searched. */
const searched: ReadonlySet<string> = new Set(["email", "firstName", "lastName", "phone"])

/** The times that have an index, each with its table and column. */
const times: Readonly<Record<string, readonly [table: string, column: string, id: string]>> = {
  addedAt: ["contacts", "added_at", "id"],
  lastOpenAt: ["contact_activity", "last_open_at", "contact_id"],
  lastClickAt: ["contact_activity", "last_click_at", "contact_id"],
  lastEmailedAt: ["contact_activity", "last_emailed_at", "contact_id"]
}

/** A `select` of `contact_id`, and its rank. A lower rank usually finds fewer contacts. */
interface Candidates {
  readonly place: number
  /** Whether every contact found is also selected by the segment. */
  readonly isExact: boolean
  /** Adds its parameters, so it must be called only if the `select` is used. */
  readonly select: () => string
}

/** Makes the `select`s for the definitions of one statement. */
export class CandidateCompiler {
  readonly #accountId: string
  readonly #account: string
  readonly #now: number
  readonly #parameters: Parameters

  /**
   * @param account the parameter of the account's id
   * @param now epoch milliseconds
   */
  constructor(accountId: string, account: string, now: number, parameters: Parameters) {
    this.#accountId = accountId
    this.#account = account
    this.#now = now
    this.#parameters = parameters
  }

  /** Contacts that include all that one of the definitions selects; null if no index finds them. */
  anyOf(definitions: ReadonlyArray<SegmentDefinition>): Candidates | null {
    return this.#union(definitions.map((definition) => this.#definition(definition)))
  }

  #union(each: ReadonlyArray<Candidates | null>): Candidates | null {
    const found = each.filter((one) => one !== null)
    if (found.length < each.length || found.length === 0) return null
    return {
      place: Math.max(...found.map(({ place }) => place)),
      isExact: found.every(({ isExact }) => isExact),
      select: () => found.map(({ select }) => `(${select()})`).join(" union ")
    }
  }

  #definition({ join, rules }: SegmentDefinition): Candidates | null {
    const found = rules.map((rule) => this.#rule(rule))
    if (join === "Any") return this.#union(found)
    const first = found.filter((one) => one !== null).toSorted((a, b) => a.place - b.place)[0]
    return first === undefined ? null : { ...first, isExact: first.isExact && rules.length === 1 }
  }

  #rule({ field, test: asked }: SegmentRule): Candidates | null {
    const { negated, test } = plainTest(asked)
    if (negated) return null
    switch (field._tag) {
      case "Text":
        if (field.column === "consentStatus") {
          return this.#column("consent_status", consentStatuses.filter(valueTest(test, this.#now)))
        }
        if (field.column === "countryCode" && (test.operator === "Equals" || "texts" in test)) {
          const texts = "texts" in test ? test.texts : "text" in test ? [test.text] : []
          return this.#column(
            "country_code",
            texts.map((text) => text.toUpperCase())
          )
        }
        return searched.has(field.column) ? this.#text(test) : null
      case "Topic": {
        const choices = test.operator === "IsSet" ? [true, false] : [test.operator === "IsTrue"]
        if (test.operator !== "IsSet" && choices[0] === field.defaultOn) return null
        return {
          place: 1,
          isExact: false,
          select: () =>
            this.#keyed(
              "&&",
              choices.map((isOn) => topicKey(this.#accountId, field.topicId, isOn))
            )
        }
      }
      case "Date": {
        const [table, column, id] = times[field.column] ?? []
        return table === undefined ? null : this.#date(table, column!, id!, test)
      }
      case "Events":
        return this.#events(field.name, test)
      default:
        return null
    }
  }

  #keyed(operator: "&&" | "@>", keys: ReadonlyArray<number>): string {
    return `select contact_id from contact_search where keys ${operator} ${this.#parameters.add(keys, "int[]")}
      and (account_id = ${this.#account}) is true`
  }

  #text(test: SegmentTest): Candidates | null {
    const texts = ("texts" in test ? test.texts : "text" in test ? [test.text] : []).map(foldCase)
    const isFound = (text: string) => Array.from(text).length >= minSubstring && !text.includes("\n")
    if (texts.length === 0 || texts.length > maxTexts || !texts.every(isFound)) return null
    return this.#union(
      texts.map((text) => {
        const keys = queryKeys(this.#accountId, text)
        return "all" in keys ? { place: 0, isExact: false, select: () => this.#keyed("@>", keys.all) } : null
      })
    )
  }

  #column(column: string, values: ReadonlyArray<string>): Candidates {
    return {
      place: 4,
      isExact: false,
      select:
        () => `select id as contact_id from contacts where account_id = ${this.#account} and erased_at is null
        and ${column} is not null and ${column} = any(${this.#parameters.add(values, "text[]")})`
    }
  }

  #date(table: string, column: string, id: string, test: SegmentTest): Candidates | null {
    const { from, to } =
      "at" in test || "days" in test ? spanOf(test, this.#now) : { from: -Infinity, to: Infinity }
    // Most contacts were added before any given time.
    if (from === -Infinity && column === "added_at") return null
    const at = (millis: number) => this.#parameters.add(timestampOf(millis), "timestamptz")
    const conditions = () => [
      `account_id = ${this.#account}`,
      `${column} is not null`,
      ...(table === "contacts" ? ["erased_at is null"] : []),
      ...(from > -Infinity ? [`${column} >= ${at(from)}`] : []),
      ...(to < Infinity ? [`${column} < ${at(to)}`] : [])
    ]
    return {
      place: 2,
      isExact: false,
      select: () => `select ${id} as contact_id from ${table} where ${conditions().join(" and ")}`
    }
  }

  /** As in `Compiler`. */
  #events(name: string, test: SegmentTest): Candidates {
    const at = (millis: number) => this.#parameters.add(timestampOf(millis), "timestamptz")
    const ofDays = (days: number, count: number) => {
      const { from, to } = lastDays(days, this.#now)
      return `and occurred_at >= ${at(from)} and occurred_at < ${at(to)}
        group by contact_id having count(*) >= ${this.#parameters.add(count, "int")}`
    }
    return {
      place: 3,
      isExact: true,
      select: () => `select contact_id from timeline where account_id = ${this.#account}
        and name = ${this.#parameters.add(name, "text")}
        ${test.operator === "HappenedAtLeast" ? ofDays(test.days, test.count) : "group by contact_id"}`
    }
  }
}
