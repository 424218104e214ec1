/**
 * The check of the parts every flow is written in: objects, lists, texts, events and filters. What is wrong is kept with
 * its place, and something harmless stands for it, so that the check goes on.
 *
 * @module
 */
import { Result } from "effect"
import { openTest, parseDefinition } from "../../audience/segments/SegmentRules.ts"
import type { Json } from "../../shared/Json.ts"
import { type Code, type Issue, issue, type Params } from "../../shared/Problem.ts"
import { isStorable } from "../../shared/Validate.ts"
import type { FlowScope } from "./FlowScope.ts"
import type { EventMatch, Filter, FilterRule } from "../../model/FlowDefinition.ts"
import { propertyOf } from "./FlowFilter.ts"

/** The most rules of a filter. */
export const maxRules = 50
/** The most issues of one answer: a flow that is wrong all over needs no more. */
const maxIssues = 100
const eventName = /^[a-z][a-z0-9_.]{0,63}$/

/** An object as sent. */
export type Fields = Readonly<Record<string, unknown>>

/** Stands for an event that was refused. */
export const noEvent: EventMatch = { name: "", filter: null }
const noFilter: Filter = { join: "All", rules: [] }

/** A check under way. */
export class PartCheck {
  readonly issues: Array<Issue> = []
  readonly vocabulary: FlowScope

  constructor(vocabulary: FlowScope) {
    this.vocabulary = vocabulary
  }

  refuse(code: Code, path: string, params: Params | null = null): void {
    if (this.issues.length < maxIssues) this.issues.push(issue(code, path, params))
  }

  fields(value: unknown, path: string): Fields | null {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields
    this.refuse(value == null ? "validation.required" : "validation.type", path)
    return null
  }

  list(value: unknown, path: string): ReadonlyArray<unknown> {
    if (value == null) return []
    if (Array.isArray(value)) return value
    this.refuse("validation.type", path)
    return []
  }

  /** A text without white space at its ends; null where it is left out or refused. */
  text(value: unknown, path: string, max: number): string | null {
    if (value == null) return null
    if (typeof value !== "string") this.refuse("validation.type", path)
    else if (!isStorable(value)) this.refuse("validation.format", path)
    else if (value.trim().length > max) this.refuse("validation.max_length", path, { max })
    else return value.trim()
    return null
  }

  event(given: Fields, path: string): EventMatch {
    const name = this.text(given["name"], `${path}.name`, 64) ?? ""
    if (!eventName.test(name)) this.refuse("automation.event_name_invalid", `${path}.name`)
    const filter =
      given["filter"] == null ? null : this.filter(given["filter"], `${path}.filter`, "event only")
    return { name, filter }
  }

  filter(value: unknown, path: string, about: "event only" | "contact too"): Filter {
    const given = this.fields(value, path)
    if (given === null) return noFilter
    const join = given["join"] ?? "All"
    if (join !== "All" && join !== "Any") this.refuse("segments.join_invalid", `${path}.join`)
    const rules = this.list(given["rules"], `${path}.rules`)
    if (rules.length > maxRules) {
      this.refuse("segments.too_many_rules", `${path}.rules`, { max: maxRules })
      return noFilter
    }
    return {
      join: join === "Any" ? "Any" : "All",
      rules: rules.flatMap((entry, index) => this.rule(entry, `${path}.rules[${index}]`, about) ?? [])
    }
  }

  rule(value: unknown, path: string, about: "event only" | "contact too"): FilterRule | null {
    const given = this.fields(value, path)
    if (given === null) return null
    const { fieldKey, operator } = given
    if (typeof fieldKey !== "string" || !isStorable(fieldKey) || fieldKey.length > 200) {
      this.refuse("segments.field_unknown", `${path}.fieldKey`)
      return null
    }
    if (typeof operator !== "string") {
      this.refuse("segments.operator_invalid", `${path}.operator`)
      return null
    }
    const asked = given["value"] === undefined ? null : given["value"]
    if (propertyOf(fieldKey) !== null) {
      const test = openTest(operator, asked)
      if (typeof test === "string") {
        this.refuse(`segments.${test}`, `${path}.${test === "operator_invalid" ? "operator" : "value"}`)
        return null
      }
      return { fieldKey, operator, value: asked as Json }
    }
    // How often something happened is a question to the timeline, which a run does not read.
    if (about === "event only" || fieldKey.startsWith("events.")) {
      this.refuse("automation.filter_field_unknown", `${path}.fieldKey`)
      return null
    }
    const parsed = parseDefinition(
      { join: "All", rules: [{ fieldKey, operator, value: asked }] },
      this.vocabulary
    )
    if (Result.isSuccess(parsed)) return parsed.success.document.rules[0]!
    for (const { code, field } of parsed.failure.issues) {
      this.refuse(code, `${path}.${field?.slice("definition.rules[0].".length) ?? "fieldKey"}`)
    }
    return null
  }
}
