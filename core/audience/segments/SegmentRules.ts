/**
 * Parses a submitted segment definition against the contact fields and topics of its account.
 *
 * The value of a rule is what the operator compares with: a string, a number, a list of strings, `[from, to]` or `{from, to}` for
 * `Between`, a day (`YYYY-MM-DD`) or a date-time for dates, a number of days, or `{count, days}` for events. Other operators take
 * no value. Source: docs/contributing/decisions.md 3, Segments.
 *
 * @module
 */
import { Result } from "effect"
import { decimalOf } from "../../shared/Decimal.ts"
import { parseEmail } from "../../shared/EmailAddress.ts"
import type { Json } from "../../shared/Json.ts"
import { type Details, type Issue, issue, Issues, Problem, valueDetail } from "../../shared/Problem.ts"
import { isUuid } from "../../shared/Uuid.ts"
import { isStorable, parseDateTime, unknownField } from "../../shared/Validate.ts"
import type { ContactField, FieldType } from "../../model/ContactField.ts"
import type { DefinitionDocument } from "../../model/Segment.ts"
import { dayMillis } from "./DayRange.ts"
import {
  booleanOperators,
  campaignCountOperators,
  campaignOperators,
  dateOperators,
  eventOperators,
  listOperators,
  numberOperators,
  presenceOperators,
  relativeOperators,
  type SegmentDefinition,
  type SegmentField,
  type SegmentRule,
  type SegmentTest,
  textListOperators,
  textOperators
} from "../../model/SegmentDefinition.ts"
import type { Topic } from "../../model/Topic.ts"

/** The most rules of a definition. */
const maxRules = 50
/** The most entries of a list value. */
const maxListItems = 1000
/** The most characters of a string value. */
const maxRuleText = 1000
/** The greatest number of days: a hundred years. */
const maxDays = 36_525
/** The greatest number of events. */
const maxEventCount = 1_000_000
/** The most characters of an event name. */
const maxEventName = 64

/** A submitted definition, of which only the types are validated. */
export interface DefinitionWrite {
  readonly join: string
  readonly rules: ReadonlyArray<{
    readonly fieldKey: string
    readonly operator: string
    readonly value?: unknown
  }>
}

/** The contact fields and topics that a definition can name. */
export interface SegmentScope {
  readonly fields: ReadonlyArray<ContactField>
  readonly topics: ReadonlyArray<Topic>
}

/** A valid definition. */
export interface ParsedDefinition {
  /** The definition in the form that is evaluated. */
  readonly definition: SegmentDefinition
  /** The definition in the form that is stored and shown. */
  readonly document: DefinitionDocument
}

/**
 * Parses a definition. Each issue names its path, such as `definition.rules[2].operator`: segments.join_invalid,
 * segments.too_many_rules, segments.field_unknown, segments.operator_invalid, segments.value_invalid, validation.unknown_field. A
 * definition can also name archived fields and topics. Campaigns are not looked up: no contact has an email of a campaign that
 * does not exist.
 */
export const parseDefinition = (
  write: DefinitionWrite,
  scope: SegmentScope
): Result.Result<ParsedDefinition, Problem> => {
  const issues = new Issues()
  const { join } = write
  if (join !== "All" && join !== "Any")
    issues.add("segments.join_invalid", "definition.join", null, valueDetail(join))
  if (write.rules.length > maxRules) {
    return Result.fail(Problem.of("segments.too_many_rules", "definition.rules", { max: maxRules }))
  }
  const rules: Array<SegmentRule> = []
  const documents: Array<DefinitionDocument["rules"][number]> = []
  write.rules.forEach(({ fieldKey, operator, value }, index) => {
    const add = (
      code: "field_unknown" | "operator_invalid" | "value_invalid",
      property: string,
      details: Details
    ) => issues.add(`segments.${code}`, `definition.rules[${index}].${property}`, null, details)
    const field = fieldOf(fieldKey, scope)
    if (field === null) return add("field_unknown", "fieldKey", { value: fieldKey })
    const known = operands[kindOf(field)]
    const operand = known.get(operator)
    if (operand === undefined) {
      return add("operator_invalid", "operator", {
        value: operator,
        of: fieldKey,
        known: [...known.keys()].join(", ")
      })
    }
    const test = operand.parse(value)
    if (test === null) {
      return add("value_invalid", "value", { of: fieldKey, operator, expected: operandForms[operand.takes] })
    }
    unknownMembers(test, value).forEach((name) =>
      issues.push(unknownField(`definition.rules[${index}].value.${name}`, null))
    )
    rules.push({ field, test: isEmail(field) ? withAddresses(test) : test })
    documents.push({ fieldKey, operator, value: documentOf(test, value) })
  })
  return issues.result({
    definition: { join: join === "All" ? "All" : "Any", rules },
    document: { join, rules: documents }
  })
}

const columns: ReadonlyMap<string, SegmentField> = new Map<string, SegmentField>([
  ...(
    ["email", "firstName", "lastName", "phone", "city", "countryCode", "language", "consentStatus"] as const
  ).map((column) => [column, { _tag: "Text", column }] as const),
  ...(["orderCount", "totalSpent"] as const).map((column) => [column, { _tag: "Number", column }] as const),
  ...(["lastOrderAt", "lastOpenAt", "lastClickAt", "lastEmailedAt", "addedAt"] as const).map(
    (column) => [column, { _tag: "Date", column }] as const
  ),
  ["isPayingCustomer", { _tag: "Boolean", column: "isPayingCustomer" }],
  ["tags", { _tag: "Tags" }],
  ["campaigns.any", { _tag: "Campaigns" }]
])

/** The field of a rule by its key; null if the account has none. */
export const fieldOf = (fieldKey: string, { fields, topics }: SegmentScope): SegmentField | null => {
  const column = columns.get(fieldKey)
  if (column !== undefined) return column
  const dot = fieldKey.indexOf(".")
  const key = fieldKey.slice(dot + 1)
  switch (fieldKey.slice(0, Math.max(0, dot))) {
    case "attributes": {
      const field = fields.find((one) => one.key === key)
      return field === undefined ? null : { _tag: "Attribute", key, type: field.type }
    }
    case "topics": {
      const topic = topics.find((one) => one.key === key)
      return topic === undefined ? null : { _tag: "Topic", topicId: topic.id, defaultOn: topic.defaultOn }
    }
    case "events":
      return key !== "" && key.length <= maxEventName && isStorable(key)
        ? { _tag: "Events", name: key }
        : null
    case "campaigns":
      return isUuid(key) ? { _tag: "Campaign", campaignId: key.toLowerCase() } : null
    default:
      return null
  }
}

/** The kinds of values that fields have. */
export const kinds = ["Text", "Number", "Boolean", "Date", "List", "Events", "Campaign", "Campaigns"] as const

/** The kind of a field's values, which determines its operators. */
export type Kind = (typeof kinds)[number]

/** The kind of value with which an operator compares. */
export type Operand = "Nothing" | "Text" | "Texts" | "Number" | "Range" | "Date" | "Days" | "Counts"

/** Descriptions of valid operands by kind, for messages. */
const operandForms: Readonly<Record<Operand, string>> = {
  Nothing: "left out",
  Text: `a text of 1 to ${maxRuleText} characters`,
  Texts: `a list of 1 to ${maxListItems} texts`,
  Number: "a number",
  Range: "two numbers, [from, to] or {from, to}",
  Date: "a day such as 2026-01-31, or a date-time with offset",
  Days: `a whole number of days from 1 to ${maxDays}`,
  Counts: `{count, days}, whole numbers from 1 to ${maxEventCount} and ${maxDays}`
}

const attributeKinds: Record<FieldType, Kind> = {
  Text: "Text",
  Number: "Number",
  Boolean: "Boolean",
  Date: "Date",
  DateTime: "Date",
  TextList: "List"
}

const kindOf = (field: SegmentField): Kind => {
  switch (field._tag) {
    case "Attribute":
      return attributeKinds[field.type]
    case "Tags":
      return "List"
    case "Topic":
      return "Boolean"
    default:
      return field._tag
  }
}

/** An operator's values. */
interface Operation {
  readonly takes: Operand
  /** Parses a value into a test; null if the value is invalid. */
  readonly parse: (value: unknown) => SegmentTest | null
}

/** Defines several operators that take the same values. */
const each = <Operator extends string, A>(
  operators: ReadonlyArray<Operator>,
  takes: Operand,
  parse: (value: unknown, operator: Operator) => A | null,
  make: (operator: Operator, parsed: A) => SegmentTest
): ReadonlyArray<readonly [string, Operation]> =>
  operators.map((operator) => [
    operator,
    {
      takes,
      parse: (value) => {
        const parsed = parse(value, operator)
        return parsed === null ? null : make(operator, parsed)
      }
    }
  ])

const textOf = (value: unknown): string | null => {
  if (typeof value !== "string" || !isStorable(value)) return null
  const text = value.trim()
  return text === "" || text.length > maxRuleText ? null : text
}

const textsOf = (value: unknown): ReadonlyArray<string> | null => {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxListItems) return null
  const texts = value.map(textOf)
  return texts.every((text) => text !== null) ? [...new Set(texts)] : null
}

const isEmail = (field: SegmentField): boolean => field._tag === "Text" && field.column === "email"

/** A test of addresses: its operands are normalized, because they are compared with normalized addresses. */
const withAddresses = (test: SegmentTest): SegmentTest => {
  const normal = (text: string): string => parseEmail(text) ?? text
  if ("text" in test) return { ...test, text: normal(test.text) }
  return "texts" in test ? { ...test, texts: test.texts.map(normal) } : test
}

const numberOf = (value: unknown): string | null =>
  typeof value === "number" && Number.isFinite(value) ? decimalOf(value) : null

const wholeOf = (value: unknown, min: number, max: number): number | null =>
  typeof value === "number" && Number.isInteger(value) && value >= min && value <= max ? value : null

const daysOf = (value: unknown): number | null => wholeOf(value, 1, maxDays)

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

/** The names of members in a value that its test does not use. */
export const unknownMembers = (test: SegmentTest, value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return []
  const known = "count" in test ? ["count", "days"] : ["from", "to"]
  return Object.keys(value).filter((name) => !known.includes(name))
}

/** The values of a range, `[from, to]` or `{from, to}`. */
const boundsOf = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value) ? value : [memberOf(value, "from"), memberOf(value, "to")]

const rangeOf = (value: unknown): { readonly from: string; readonly to: string } | null => {
  const bounds = boundsOf(value)
  if (bounds.length !== 2) return null
  const [from, to] = [numberOf(bounds[0]), numberOf(bounds[1])]
  return from === null || to === null ? null : { from, to }
}

/**
 * The timestamp with which a date is compared. For `After` and a day, it is the end of the day, so that the whole day is
 * excluded.
 */
const timestampOf = (value: unknown, operator: (typeof dateOperators)[number]): number | null => {
  if (typeof value !== "string") return null
  const text = value.trim()
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const timestamp = parseDateTime(isDay ? `${text}T00:00:00Z` : text)
  if (timestamp === null) return null
  if (operator === "On") return Math.floor(timestamp / dayMillis) * dayMillis
  return isDay && operator === "After" ? timestamp + dayMillis - 1 : timestamp
}

const eventsOf = (value: unknown): { readonly count: number; readonly days: number } | null => {
  const count = wholeOf(memberOf(value, "count"), 1, maxEventCount)
  const days = daysOf(memberOf(value, "days"))
  return count === null || days === null ? null : { count, days }
}

const nothingOf = (value: unknown): true | null => (value === undefined || value === null ? true : null)

const presence = each(presenceOperators, "Nothing", nothingOf, (operator) => ({ operator }))

/** The operators for each kind of field. */
const operands: Record<Kind, ReadonlyMap<string, Operation>> = {
  Text: new Map([
    ...each(textOperators, "Text", textOf, (operator, text) => ({ operator, text })),
    ...each(textListOperators, "Texts", textsOf, (operator, texts) => ({ operator, texts })),
    ...presence
  ]),
  Number: new Map([
    ...each(numberOperators, "Number", numberOf, (operator, number) => ({ operator, number })),
    ...each(["Between"] as const, "Range", rangeOf, (operator, range) => ({ operator, ...range })),
    ...presence
  ]),
  Date: new Map([
    ...each(dateOperators, "Date", timestampOf, (operator, at) => ({ operator, at })),
    ...each(relativeOperators, "Days", daysOf, (operator, days) => ({ operator, days })),
    ...presence
  ]),
  Boolean: new Map([
    ...each(booleanOperators, "Nothing", nothingOf, (operator) => ({ operator })),
    ...presence
  ]),
  List: new Map([
    ...each(listOperators, "Texts", textsOf, (operator, items) => ({ operator, items })),
    ...presence
  ]),
  Events: new Map([
    ...each(eventOperators, "Counts", eventsOf, (operator, counts) => ({ operator, ...counts })),
    ...presence
  ]),
  Campaign: new Map(each(campaignOperators, "Nothing", nothingOf, (operator) => ({ operator }))),
  Campaigns: new Map(
    each(campaignCountOperators, "Counts", eventsOf, (operator, counts) => ({ operator, ...counts }))
  )
}

/** The operators for a kind of field, each with its kind of operand, in the order in which they are offered. */
export const operatorsOf = (
  kind: Kind
): ReadonlyArray<{ readonly operator: string; readonly takes: Operand }> =>
  [...operands[kind]].map(([operator, { takes }]) => ({ operator, takes }))

/** A field that a rule can name. */
export interface FieldChoice {
  readonly key: string
  /** The account's own label for the field; null for a field that every account has. */
  readonly label: string | null
  readonly kind: Kind
}

/**
 * The fields that rules can name, without archived ones. Events are named by their own names and campaigns by their ids, so
 * neither are listed.
 */
export const fieldChoices = ({ fields, topics }: SegmentScope): ReadonlyArray<FieldChoice> => [
  ...[...columns].map(([key, field]) => ({ key, label: null, kind: kindOf(field) })),
  ...fields
    .filter(({ archivedAt }) => archivedAt === null)
    .map(({ key, label, type }) => ({ key: `attributes.${key}`, label, kind: attributeKinds[type] })),
  ...topics
    .filter(({ isArchived }) => !isArchived)
    .map(({ key, name }) => ({ key: `topics.${key}`, label: name, kind: "Boolean" as const }))
]

/** The kinds of values that can occur without a field that defines their kind. */
const openKinds: ReadonlyArray<Kind> = ["Text", "Number", "Boolean", "Date", "List"]

/**
 * Parses an operator and a value into a test if no field defines the kind of the value, as for an event's property. Fails with an
 * issue on `operator` or `value` if there is no such test.
 */
export const openTest = (operator: string, value: unknown): Result.Result<SegmentTest, Issue> => {
  const known = openKinds.flatMap((kind) => operands[kind].get(operator) ?? [])
  if (known.length === 0) {
    const names = new Set(openKinds.flatMap((kind) => [...operands[kind].keys()]))
    return Result.fail(
      issue("segments.operator_invalid", "operator", null, {
        ...valueDetail(operator),
        of: "properties",
        known: [...names].join(", ")
      })
    )
  }
  for (const { parse } of known) {
    const test = parse(value)
    if (test !== null) return Result.succeed(test)
  }
  const expected = [...new Set(known.map(({ takes }) => operandForms[takes]))].join(", or ")
  return Result.fail(issue("segments.value_invalid", "value", null, { operator, expected }))
}

/** Adding zero turns -0, which JSON does not preserve, into 0. */
const jsonNumber = (value: unknown): number => (value as number) + 0

/** The value in the form that is stored: only the parts that the test uses. */
const documentOf = (test: SegmentTest, value: unknown): Json => {
  if ("text" in test) return test.text
  if ("texts" in test) return test.texts
  if ("items" in test) return test.items
  if ("number" in test) return jsonNumber(value)
  if ("from" in test) {
    const [from, to] = boundsOf(value).map(jsonNumber)
    return Array.isArray(value) ? [from!, to!] : { from: from!, to: to! }
  }
  if ("at" in test) return (value as string).trim()
  if ("count" in test) return { count: test.count, days: test.days }
  return "days" in test ? test.days : null
}

/** The most characters of a segment's name. */
export const maxSegmentName = 100
/** The most characters of a segment's description. */
export const maxSegmentDescription = 300
