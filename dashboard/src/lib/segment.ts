/**
 * The rules of a segment while a person edits them, and the sentence that describes them.
 *
 * @module
 */

/** What an operator compares with, in the service's terms. */
export type Takes = "Nothing" | "Text" | "Texts" | "Number" | "Range" | "Date" | "Days" | "Counts"

/** A rule. */
export interface Rule {
  readonly fieldKey: string
  readonly operator: string
  readonly value?: unknown
}

/** A segment's definition. */
export interface Definition {
  readonly join: string
  readonly rules: ReadonlyArray<Rule>
}

/** A field that rules can use. */
export interface FieldChoice {
  readonly key: string
  readonly label: string | null
  readonly kind: string
}

/** The fields and operators of which rules can be made, as returned by the service. */
export interface Parts {
  readonly fields: ReadonlyArray<FieldChoice>
  readonly operators: Readonly<
    Record<string, ReadonlyArray<{ readonly operator: string; readonly takes: string }>>
  >
  /** The fields whose names are free. In segments, these are events. */
  readonly free?: { readonly prefix: string; readonly kind: string }
}

const events = { prefix: "events.", kind: "Events" }

/** The prefix of a campaign's field key, followed by the campaign's id. The rules of flows have no such field. */
export const campaignPrefix = "campaigns."
const anyCampaign = "campaigns.any"

/** The id of the campaign in a field key, empty if none is chosen yet; null for another field. */
export const campaignOf = (fieldKey: string): string | null =>
  fieldKey.startsWith(campaignPrefix) && fieldKey !== anyCampaign
    ? fieldKey.slice(campaignPrefix.length)
    : null

/** The key prefix of a field with a free name. */
export const freePrefix = ({ free = events }: Pick<Parts, "free">): string => free.prefix

/** The kind of a field. An archived field is no longer listed and counts as text. */
export const kindOf = (fieldKey: string, { fields, free = events }: Parts): string =>
  fieldKey.startsWith(free.prefix)
    ? free.kind
    : campaignOf(fieldKey) !== null
      ? "Campaign"
      : (fields.find(({ key }) => key === fieldKey)?.kind ?? "Text")

/** The operators of a field. */
export const operatorsOf = (fieldKey: string, parts: Parts): Parts["operators"][string] =>
  parts.operators[kindOf(fieldKey, parts)] ?? []

/** The fields whose values are chosen from a list. */
const choiceFields: ReadonlyMap<string, "Consent" | "Country" | "Language"> = new Map([
  ["consentStatus", "Consent"],
  ["countryCode", "Country"],
  ["language", "Language"]
])

/** The list from which a field's value is chosen; null if it is typed. */
export const choiceOf = (fieldKey: string): "Consent" | "Country" | "Language" | null =>
  choiceFields.get(fieldKey) ?? null

const partial = new Set(["Contains", "NotContains", "StartsWith", "EndsWith"])

/**
 * The operators on offer for a rule. A value from a list is only compared as a whole. The rule's current operator is always
 * offered.
 */
export const offeredOperators = ({ fieldKey, operator }: Rule, parts: Parts): Parts["operators"][string] =>
  operatorsOf(fieldKey, parts).filter(
    (one) => choiceOf(fieldKey) === null || !partial.has(one.operator) || one.operator === operator
  )

/** What an operator compares with. */
export const takesOf = ({ fieldKey, operator }: Rule, parts: Parts): Takes =>
  (operatorsOf(fieldKey, parts).find((one) => one.operator === operator)?.takes ?? "Nothing") as Takes

/** The value of a rule before one is entered. */
export const emptyValue = (takes: Takes): unknown => {
  switch (takes) {
    case "Nothing":
      return null
    case "Texts":
      return []
    case "Range":
      return { from: null, to: null }
    case "Days":
      return 30
    case "Counts":
      return { count: 1, days: 30 }
    case "Number":
      return null
    default:
      return ""
  }
}

/** A new rule for a field, with the field's first operator. */
export const ruleOf = (fieldKey: string, parts: Parts): Rule => {
  const [first] = operatorsOf(fieldKey, parts)
  return {
    fieldKey,
    operator: first?.operator ?? "IsSet",
    value: emptyValue((first?.takes ?? "Nothing") as Takes)
  }
}

/** A rule with another operator. The value is kept if both operators take the same kind. */
export const withOperator = (rule: Rule, operator: string, parts: Parts): Rule => {
  const next = { ...rule, operator }
  const takes = takesOf(next, parts)
  return takes === takesOf(rule, parts) ? next : { ...next, value: emptyValue(takes) }
}

type Members = Readonly<Record<string, unknown>>

const members = (value: unknown): Members =>
  typeof value === "object" && value !== null ? (value as Members) : {}

/** The bounds of a range, which is an object or a list of two. */
export const boundsOf = (value: unknown): readonly [from: unknown, to: unknown] =>
  Array.isArray(value)
    ? [(value as ReadonlyArray<unknown>)[0] ?? null, (value as ReadonlyArray<unknown>)[1] ?? null]
    : [members(value)["from"] ?? null, members(value)["to"] ?? null]

/** The count and the days of a rule that counts events. */
export const countsOf = (value: unknown): readonly [count: unknown, days: unknown] => [
  members(value)["count"] ?? null,
  members(value)["days"] ?? null
]

/**
 * The value to compare an event's property with. Its type is unknown, so the value is a number if it is written as one, otherwise
 * a string.
 */
export const scalarOf = (typed: string): number | string => {
  const number = Number(typed)
  return Number.isFinite(number) && String(number) === typed ? number : typed
}

/** Whether everything that a rule compares with was entered. Whether it is valid is decided by the service. */
export const isEntered = (rule: Rule, parts: Parts): boolean => {
  if (rule.fieldKey === freePrefix(parts) || campaignOf(rule.fieldKey) === "") return false
  const { value } = rule
  switch (takesOf(rule, parts)) {
    case "Nothing":
      return true
    case "Texts":
      return Array.isArray(value) && value.length > 0
    case "Range":
      return boundsOf(value).every((one) => one !== null)
    case "Counts":
      return countsOf(value).every((one) => one !== null)
    case "Text":
    case "Date":
      return typeof value === "number" || (typeof value === "string" && value.trim() !== "")
    default:
      return typeof value === "number"
  }
}

/** The words and formats for sentences in one language. */
export interface Words {
  readonly everybody: string
  /** Joins the clauses: `join` is `All` or `Any`. */
  readonly sentence: (join: string, clauses: ReadonlyArray<string>) => string
  readonly nameOf: (field: FieldChoice) => string
  readonly event: (name: string) => string
  /** The name of a campaign, by its id. */
  readonly campaign: (id: string) => string
  /** Phrases by operator, or by the group of the field and the operator, such as `topics.IsTrue`. */
  readonly operators: Readonly<Record<string, string>>
  readonly quoted: (text: string) => string
  /** The name of a value from a list; null if it is unknown. */
  readonly chosen: (choice: "Consent" | "Country" | "Language", value: string) => string | null
  /** Formats a day, `YYYY-MM-DD`. */
  readonly date: (day: string) => string
  /** Joins names with "or". */
  readonly either: (names: ReadonlyArray<string>) => string
  readonly number: (value: number) => string
  readonly between: (from: string, to: string) => string
  readonly days: (count: number) => string
  readonly times: (count: number, days: number) => string
  /** The placeholder for what was not entered yet. */
  readonly blank: string
}

const valueOf = (rule: Rule, parts: Parts, words: Words): string => {
  const { value } = rule
  const choice = choiceOf(rule.fieldKey)
  const number = (one: unknown) => (typeof one === "number" ? words.number(one) : words.blank)
  const text = (one: string) =>
    (choice === null || partial.has(rule.operator) ? null : words.chosen(choice, one)) ?? words.quoted(one)
  switch (takesOf(rule, parts)) {
    case "Nothing":
      return ""
    case "Texts":
      return Array.isArray(value) && value.length > 0
        ? words.either(value.map((one) => text(String(one))))
        : words.blank
    case "Range": {
      const [from, to] = boundsOf(value)
      return words.between(number(from), number(to))
    }
    case "Days":
      return typeof value === "number" ? words.days(value) : words.blank
    case "Counts": {
      const [count, days] = countsOf(value)
      return typeof count === "number" && typeof days === "number" ? words.times(count, days) : words.blank
    }
    case "Number":
      return number(value)
    case "Date":
      return typeof value === "string" && value !== "" ? words.date(value.slice(0, 10)) : words.blank
    default:
      if (typeof value === "number") return number(value)
      return typeof value === "string" && value.trim() !== "" ? text(value.trim()) : words.blank
  }
}

/** The name of an operator for a field. */
export const operatorName = (
  { fieldKey, operator }: Pick<Rule, "fieldKey" | "operator">,
  operators: Words["operators"]
): string => operators[`${fieldKey.split(".", 1)[0]}.${operator}`] ?? operators[operator] ?? operator

/** A rule as a clause. */
export const clauseOf = (rule: Rule, parts: Parts, words: Words): string => {
  const { fieldKey } = rule
  const prefix = freePrefix(parts)
  const campaign = campaignOf(fieldKey)
  const name = fieldKey.startsWith(prefix)
    ? words.event(fieldKey.slice(prefix.length) || words.blank)
    : campaign !== null
      ? campaign === ""
        ? words.blank
        : words.campaign(campaign)
      : words.nameOf(
          parts.fields.find(({ key }) => key === fieldKey) ?? { key: fieldKey, label: null, kind: "Text" }
        )
  const value = valueOf(rule, parts, words)
  return [name, operatorName(rule, words.operators), value].filter((part) => part !== "").join(" ")
}

/** A definition as a sentence. */
export const sentenceOf = ({ join, rules }: Definition, parts: Parts, words: Words): string =>
  rules.length === 0
    ? words.everybody
    : words
        .sentence(
          join,
          rules.map((rule) => clauseOf(rule, parts, words))
        )
        // A placeholder at the end also ends the sentence.
        .replace(`${words.blank}.`, words.blank)
