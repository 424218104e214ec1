/**
 * Evaluates the filters of flows: rules about the properties of an event and, in a Branch, about the contact, with the operators
 * of segments.
 *
 * @module
 */
import { Result } from "effect"
import type { AttributeValue, Contact } from "../../model/Contact.ts"
import { plainTest, valueTest } from "../../audience/segments/SegmentEvaluator.ts"
import type { SegmentTest } from "../../model/SegmentDefinition.ts"
import { openTest } from "../../audience/segments/SegmentRules.ts"
import { hasTopic, type Topic } from "../../model/Topic.ts"
import { decimalOf, writtenDecimalOf } from "../../shared/Decimal.ts"
import { isExactNumber, type Json, textOfNumber } from "../../shared/Json.ts"
import { parseDateTime } from "../../shared/Validate.ts"
import type { Filter, FilterRule } from "../../model/FlowDefinition.ts"

/** The data on which rules are evaluated. */
export interface FilterFacts {
  readonly properties: Readonly<Record<string, Json>>
  /** Null if only an event is evaluated. */
  readonly contact: Contact | null
  readonly topics: ReadonlyArray<Topic>
  /** Epoch milliseconds. */
  readonly now: number
}

/** Whether an event and its contact match a filter. */
export type FilterTest = (facts: FilterFacts) => boolean

/** The event property that a rule names; null for a rule about the contact. */
export const propertyOf = (fieldKey: string): string | null =>
  fieldKey.startsWith("event.") && fieldKey.length > 6 ? fieldKey.slice(6) : null

/** Compiles a valid filter. A null filter matches everything. */
export const filterTest = (filter: Filter | null): FilterTest => {
  if (filter === null || filter.rules.length === 0) return () => true
  const tests = filter.rules.map(ruleTest)
  return filter.join === "All"
    ? (facts) => tests.every((test) => test(facts))
    : (facts) => tests.some((test) => test(facts))
}

const ruleTest = ({ fieldKey, operator, value }: FilterRule): FilterTest => {
  const opened = openTest(operator, value)
  if (Result.isFailure(opened)) return () => false
  const { negated, test } = plainTest(opened.success)
  const read = readerOf(fieldKey, test)
  return (facts) => {
    const found = valueOf(read(facts), test)
    return (found !== null && valueTest(test, facts.now)(found)) !== negated
  }
}

type Reader = (facts: FilterFacts) => Json | undefined

const readerOf = (fieldKey: string, test: SegmentTest): Reader => {
  const property = propertyOf(fieldKey)
  if (property !== null) {
    return ({ properties }) => (Object.hasOwn(properties, property) ? properties[property] : undefined)
  }
  const dot = fieldKey.indexOf(".")
  const key = fieldKey.slice(dot + 1)
  if (fieldKey.startsWith("attributes.")) {
    return ({ contact }) =>
      contact !== null && Object.hasOwn(contact.attributes, key) ? contact.attributes[key] : undefined
  }
  if (fieldKey.startsWith("topics.")) {
    return ({ contact, topics }) => {
      const topic = topics.find((one) => one.key === key)
      if (contact === null || topic === undefined) return undefined
      return test.operator === "IsSet" ? contact.topics[topic.id] : hasTopic(topic, contact.topics)
    }
  }
  return ({ contact }) => {
    if (contact === null || !Object.hasOwn(contact, fieldKey)) return undefined
    const value = contact[fieldKey as keyof Contact] as Json
    // The contact's dates are epoch milliseconds, but rules about dates expect a string, as in a property.
    if (("at" in test || "days" in test) && typeof value === "number") return new Date(value).toISOString()
    return value
  }
}

/** The value in the type that the test expects; null if there is none or if its type differs. */
const valueOf = (value: Json | undefined, test: SegmentTest): AttributeValue | null => {
  if (value === undefined || value === null || value === "") return null
  if (test.operator === "IsSet") return !Array.isArray(value) || value.length > 0 ? "set" : null
  if ("text" in test || "texts" in test) return typeof value === "string" ? value : null
  if ("number" in test || "from" in test) return numberOf(value)
  if ("at" in test || "days" in test) return typeof value === "string" ? timestampOf(value) : null
  if ("items" in test) return itemsOf(value)
  return typeof value === "boolean" ? value : null
}

/** A decimal from a number, or from a string in plain notation, such as an amount of money. */
const numberOf = (value: Json): string | null => {
  if (isExactNumber(value)) return writtenDecimalOf(textOfNumber(value))
  if (typeof value === "number") return Number.isFinite(value) ? decimalOf(value) : null
  return typeof value === "string" && /^-?\d{1,30}(\.\d{1,30})?$/.test(value) ? value : null
}

const timestampOf = (value: string): number | null =>
  parseDateTime(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value)

const itemsOf = (value: Json): ReadonlyArray<string> | null => {
  const items = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string")
  return items.length === 0 ? null : items
}
