/**
 * Reads the basic parts of a flow: objects, lists, strings, events and filters. It collects each issue with the path of its
 * field, and replaces an invalid part by a harmless value, so that validation can continue.
 *
 * @module
 */
import { Result } from "effect"
import {
  openTest,
  parseDefinition,
  type SegmentScope,
  unknownMembers
} from "../../audience/segments/SegmentRules.ts"
import type { Json } from "../../shared/Json.ts"
import { type Code, type Details, Issues, maxErrors, type Params, valueDetail } from "../../shared/Problem.ts"
import { formats, isStorable, nearest, unknownField } from "../../shared/Validate.ts"
import type { EventMatch, Filter, FilterRule } from "../../model/FlowDefinition.ts"
import { propertyOf } from "./FlowFilter.ts"

/** The most rules of a filter. */
export const maxRules = 50
const eventName = /^[a-z][a-z0-9_.]{0,63}$/

/** Everything in its account to which a definition may refer. */
export interface FlowScope extends SegmentScope {
  /** The ids of the account's segments, including built-in ones. */
  readonly segmentIds: ReadonlySet<string>
  /** The ids of the account's templates among those that `templateIdsOf` finds. */
  readonly templateIds: ReadonlySet<string>
  /** Whether a Webhook step may call a URL. Names are not resolved. */
  readonly acceptsUrl: (url: string) => boolean
}

/** A JSON object whose fields are not validated yet. */
export type Fields = Readonly<Record<string, unknown>>

/** What the rules of a filter may be about. */
export type FilterSubject = "event only" | "contact too"

/** The event that replaces an invalid one. */
export const noEvent: EventMatch = { name: "", filter: null }
const noFilter: Filter = { join: "All", rules: [] }

/** Reads the parts of one definition and collects their issues. */
export class PartReader {
  readonly issues = new Issues()
  readonly scope: FlowScope

  constructor(scope: FlowScope) {
    this.scope = scope
  }

  reject(code: Code, path: string, params: Params | null = null, details?: Details): void {
    this.issues.add(code, path, params, details)
  }

  fields(value: unknown, path: string): Fields | null {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields
    this.reject(value == null ? "validation.required" : "validation.type", path, null, {
      expected: "an object"
    })
    return null
  }

  /** Rejects fields that are not among the known ones. */
  only(given: Fields, path: string, known: ReadonlyArray<string>): void {
    for (const name of Object.keys(given)) {
      if (known.includes(name)) continue
      // Issues beyond the listed ones are only counted, so they need no suggestion.
      const like = this.issues.count < maxErrors ? nearest(name, known) : null
      this.issues.push(unknownField(`${path}.${name}`, like))
    }
  }

  list(value: unknown, path: string): ReadonlyArray<unknown> {
    if (value == null) return []
    if (Array.isArray(value)) return value
    this.reject("validation.type", path, null, { expected: "a list" })
    return []
  }

  /** A trimmed string; null if it is absent or invalid. */
  string(value: unknown, path: string, max: number): string | null {
    if (value == null) return null
    if (typeof value !== "string") this.reject("validation.type", path, null, { expected: "a string" })
    else if (!isStorable(value)) this.reject("validation.format", path, null, { expected: formats.storable })
    else if (value.trim().length > max) this.reject("validation.max_length", path, { max })
    else return value.trim()
    return null
  }

  event(given: Fields, path: string): EventMatch {
    const name = this.string(given["name"], `${path}.name`, 64) ?? ""
    if (!eventName.test(name))
      this.reject("automation.event_name_invalid", `${path}.name`, null, valueDetail(name))
    const filter =
      given["filter"] == null ? null : this.filter(given["filter"], `${path}.filter`, "event only")
    return { name, filter }
  }

  filter(value: unknown, path: string, subject: FilterSubject): Filter {
    const given = this.fields(value, path)
    if (given === null) return noFilter
    this.only(given, path, ["join", "rules"])
    const join = given["join"] ?? "All"
    if (join !== "All" && join !== "Any")
      this.reject("segments.join_invalid", `${path}.join`, null, valueDetail(join))
    const rules = this.list(given["rules"], `${path}.rules`)
    if (rules.length > maxRules) {
      this.reject("segments.too_many_rules", `${path}.rules`, { max: maxRules })
      return noFilter
    }
    return {
      join: join === "Any" ? "Any" : "All",
      rules: rules.flatMap((entry, index) => this.#rule(entry, `${path}.rules[${index}]`, subject) ?? [])
    }
  }

  #rule(value: unknown, path: string, subject: FilterSubject): FilterRule | null {
    const given = this.fields(value, path)
    if (given === null) return null
    this.only(given, path, ["fieldKey", "operator", "value"])
    const { fieldKey, operator } = given
    if (typeof fieldKey !== "string" || !isStorable(fieldKey) || fieldKey.length > 200) {
      this.reject("segments.field_unknown", `${path}.fieldKey`)
      return null
    }
    if (typeof operator !== "string") {
      this.reject("segments.operator_invalid", `${path}.operator`)
      return null
    }
    const operand = given["value"] === undefined ? null : given["value"]
    if (propertyOf(fieldKey) !== null) {
      const test = openTest(operator, operand)
      if (Result.isFailure(test)) {
        const { code, details, field } = test.failure
        this.reject(code, `${path}.${field}`, null, details)
        return null
      }
      for (const name of unknownMembers(test.success, operand)) {
        this.issues.push(unknownField(`${path}.value.${name}`, null))
      }
      return { fieldKey, operator, value: operand as Json }
    }
    // A run reads neither timelines nor campaigns.
    if (subject === "event only" || fieldKey.startsWith("events.") || fieldKey.startsWith("campaigns.")) {
      this.reject("automation.filter_field_unknown", `${path}.fieldKey`, null, { value: fieldKey })
      return null
    }
    const parsed = parseDefinition(
      { join: "All", rules: [{ fieldKey, operator, value: operand }] },
      this.scope
    )
    if (Result.isSuccess(parsed)) return parsed.success.document.rules[0]!
    for (const { code, field } of parsed.failure.issues) {
      this.reject(code, `${path}.${field?.slice("definition.rules[0].".length) ?? "fieldKey"}`)
    }
    return null
  }
}
