/**
 * Evaluates a segment's definition for a person in this process. The SQL compiler implements the same rules for stored rows.
 *
 * A rule does not match a person without the value that it tests. A negative operator matches exactly if its opposite does not:
 * `NotEquals`, `NotContains`, `NotIn`, `HasNone`, `NotInLastDays`, `HappenedLessThan`, `WasNotSent`, `SentLessThan`,
 * `OpenedLessThan`, `ClickedLessThan`, `IsNotSet`. An empty string and an empty list count as no value. No definition matches an
 * erased contact.
 *
 * @module
 */
import type { TimelineEntry } from "../../ports/TimelineStore.ts"
import { compareDecimals, decimalOf } from "../../shared/Decimal.ts"
import { foldCase, parseDateTime } from "../../shared/Validate.ts"
import type { AttributeValue, Contact } from "../../model/Contact.ts"
import type { DeliveryStatus } from "../../model/DeliveryStatus.ts"
import type { FieldType } from "../../model/ContactField.ts"
import { dayMillis, lastDays, nextDays, type Span } from "./DayRange.ts"
import type {
  SegmentDefinition,
  SegmentField,
  SegmentRule,
  SegmentTest
} from "../../model/SegmentDefinition.ts"

/** A campaign's email to a person. */
export interface CampaignEmail {
  readonly campaignId: string
  /** Epoch milliseconds. */
  readonly submittedAt: number
  readonly status: DeliveryStatus
  /** Whether a visit that was not a machine's opened it. */
  readonly isOpened: boolean
  /** Like `isOpened`, for clicks. */
  readonly isClicked: boolean
}

/** The data of a person that rules test. */
export interface Person {
  readonly contact: Contact
  /** The timeline, in any order. */
  readonly timeline: ReadonlyArray<Pick<TimelineEntry, "name" | "occurredAt">>
  /** The emails of campaigns that were submitted to the person, in any order. */
  readonly campaignEmails: ReadonlyArray<CampaignEmail>
  /** The ids of the campaigns to which an order of the person is attributed. */
  readonly convertedBy: ReadonlyArray<string>
}

/** A test of people. */
export type Predicate = (person: Person) => boolean

/** The predicate of a definition at `now` (epoch milliseconds). */
export const predicateOf = ({ join, rules }: SegmentDefinition, now: number): Predicate => {
  const tests = rules.map((rule) => ruleOf(rule, now))
  const all = join === "All" || tests.length === 0
  return (person) =>
    person.contact.erasedAt === null &&
    (all ? tests.every((test) => test(person)) : tests.some((test) => test(person)))
}

/** Whether a definition matches a person at `now`. */
export const matches = (definition: SegmentDefinition, person: Person, now: number): boolean =>
  predicateOf(definition, now)(person)

/** The negative operators, each with its opposite. */
const opposites = {
  NotEquals: "Equals",
  NotContains: "Contains",
  NotIn: "In",
  NotInLastDays: "InLastDays",
  HasNone: "HasAny",
  HappenedLessThan: "HappenedAtLeast",
  WasNotSent: "WasSent",
  SentLessThan: "SentAtLeast",
  OpenedLessThan: "OpenedAtLeast",
  ClickedLessThan: "ClickedAtLeast",
  IsNotSet: "IsSet"
} as const

/** The positive form of a test, and whether the test negates it. */
export const plainTest = (test: SegmentTest): { readonly test: SegmentTest; readonly negated: boolean } =>
  test.operator in opposites
    ? {
        test: { ...test, operator: opposites[test.operator as keyof typeof opposites] } as SegmentTest,
        negated: true
      }
    : { test, negated: false }

const ruleOf = ({ field, test: given }: SegmentRule, now: number): Predicate => {
  const { negated, test } = plainTest(given)
  const positive = positiveOf(field, test, now)
  return negated ? (person) => !positive(person) : positive
}

const positiveOf = (field: SegmentField, test: SegmentTest, now: number): Predicate => {
  if (field._tag === "Events") return eventsTest(field.name, test, now)
  if (field._tag === "Campaign") return campaignTest(field.campaignId, test)
  if (field._tag === "Campaigns") return campaignsTest(test, now)
  const read = readerOf(field, test)
  const check = valueTest(test, now)
  return ({ contact }) => {
    const value = read(contact)
    return value !== null && check(value)
  }
}

const eventsTest = (name: string, test: SegmentTest, now: number): Predicate => {
  if (test.operator !== "HappenedAtLeast")
    return ({ timeline }) => timeline.some((entry) => entry.name === name)
  const { from, to } = lastDays(test.days, now)
  const counts = (entry: Person["timeline"][number]) =>
    entry.name === name && entry.occurredAt >= from && entry.occurredAt < to
  return ({ timeline }) => timeline.filter(counts).length >= test.count
}

/** The statuses of emails that were not sent. */
export const unsentStatuses: ReadonlyArray<DeliveryStatus> = ["Failed", "Suppressed"]
/** The statuses of emails that a server accepted. */
export const deliveredStatuses: ReadonlyArray<DeliveryStatus> = ["Sent", "Accepted", "Delivered"]

const wasSent = ({ status }: CampaignEmail): boolean => !unsentStatuses.includes(status)

const campaignTest = (campaignId: string, { operator }: SegmentTest): Predicate => {
  if (operator === "Converted") return ({ convertedBy }) => convertedBy.includes(campaignId)
  const check = ((): ((email: CampaignEmail) => boolean) => {
    const isDelivered = ({ status }: CampaignEmail) => deliveredStatuses.includes(status)
    switch (operator) {
      case "WasDelivered":
        return isDelivered
      case "Opened":
        return ({ isOpened }) => isOpened
      case "NotOpened":
        return (email) => isDelivered(email) && !email.isOpened
      case "Clicked":
        return ({ isClicked }) => isClicked
      case "NotClicked":
        return (email) => isDelivered(email) && !email.isClicked
      default:
        return wasSent
    }
  })()
  return ({ campaignEmails }) =>
    campaignEmails.some((email) => email.campaignId === campaignId && check(email))
}

const campaignsTest = (test: SegmentTest, now: number): Predicate => {
  if (!("count" in test)) return () => false
  const { count, operator } = test
  const { from, to } = lastDays(test.days, now)
  const counts = (email: CampaignEmail) =>
    email.submittedAt >= from &&
    email.submittedAt < to &&
    wasSent(email) &&
    (operator !== "OpenedAtLeast" || email.isOpened) &&
    (operator !== "ClickedAtLeast" || email.isClicked)
  return ({ campaignEmails }) => campaignEmails.filter(counts).length >= count
}

/** Reads a field's value: dates as epoch milliseconds, numbers as decimals in plain notation; null if there is none. */
type ContactField = Exclude<SegmentField, { readonly _tag: "Campaign" | "Campaigns" | "Events" }>

const readerOf = (field: ContactField, test: SegmentTest): ((contact: Contact) => AttributeValue | null) => {
  switch (field._tag) {
    case "Text":
      return (contact) => contact[field.column] || null
    case "Number":
      return (contact) => String(contact[field.column])
    case "Boolean":
    case "Date":
      return (contact) => contact[field.column]
    case "Tags":
      return ({ tags }) => (tags === null || tags.length === 0 ? null : tags)
    case "Attribute":
      return ({ attributes }) =>
        Object.hasOwn(attributes, field.key) ? attributeOf(field.type, attributes[field.key]!) : null
    case "Topic": {
      // IsSet tests whether the person chose. The other operators use the topic's default if the person did not.
      const otherwise = test.operator === "IsSet" ? null : field.defaultOn
      return ({ topics }) => topics[field.topicId] ?? otherwise
    }
  }
}

const attributeOf = (type: FieldType, value: AttributeValue): AttributeValue | null => {
  switch (type) {
    case "Text":
      return typeof value === "string" && value !== "" ? value : null
    case "Number":
      return typeof value === "number" ? decimalOf(value) : null
    case "Boolean":
      return typeof value === "boolean" ? value : null
    case "Date":
      return typeof value === "string" ? parseDateTime(`${value}T00:00:00Z`) : null
    case "DateTime":
      return typeof value === "string" ? parseDateTime(value) : null
    case "TextList":
      return typeof value === "object" && value.length > 0 ? value : null
  }
}

/** The test of a value that is not null. The field determines the type of the value and the available operators. */
export const valueTest = (test: SegmentTest, now: number): ((value: AttributeValue) => boolean) => {
  if ("text" in test) return textTest(test.operator, foldCase(test.text))
  if ("texts" in test) {
    const texts = new Set(test.texts.map(foldCase))
    return (value) => typeof value === "string" && texts.has(foldCase(value))
  }
  if ("items" in test) return listTest(test.operator, test.items.map(foldCase))
  if ("number" in test) return numberTest(test.operator, test.number)
  if ("from" in test) {
    const { from, to } = test
    return (value) =>
      typeof value === "string" && compareDecimals(value, from) >= 0 && compareDecimals(value, to) <= 0
  }
  if ("at" in test || "days" in test) {
    const { from, to } = spanOf(test, now)
    return (value) => typeof value === "number" && value >= from && value < to
  }
  return (value) => test.operator === "IsSet" || value === (test.operator === "IsTrue")
}

type Operator<Key extends string> = Extract<SegmentTest, Readonly<Record<Key, unknown>>>["operator"]

const textTest = (operator: Operator<"text">, wanted: string): ((value: AttributeValue) => boolean) => {
  const onString = (test: (folded: string) => boolean) => (value: AttributeValue) =>
    typeof value === "string" && test(foldCase(value))
  switch (operator) {
    case "Contains":
      return onString((folded) => folded.includes(wanted))
    case "StartsWith":
      return onString((folded) => folded.startsWith(wanted))
    case "EndsWith":
      return onString((folded) => folded.endsWith(wanted))
    default:
      return onString((folded) => folded === wanted)
  }
}

const listTest =
  (operator: Operator<"items">, wanted: ReadonlyArray<string>): ((value: AttributeValue) => boolean) =>
  (value) => {
    const items = new Set(typeof value === "object" ? value.map(foldCase) : [])
    const isHeld = (item: string) => items.has(item)
    return operator === "HasAll" ? wanted.every(isHeld) : wanted.some(isHeld)
  }

const numberTest = (operator: Operator<"number">, wanted: string): ((value: AttributeValue) => boolean) => {
  const onOrder = (test: (order: number) => boolean) => (value: AttributeValue) =>
    typeof value === "string" && test(compareDecimals(value, wanted))
  switch (operator) {
    case "GreaterThan":
      return onOrder((order) => order > 0)
    case "GreaterOrEqual":
      return onOrder((order) => order >= 0)
    case "LessThan":
      return onOrder((order) => order < 0)
    case "LessOrEqual":
      return onOrder((order) => order <= 0)
    default:
      return onOrder((order) => order === 0)
  }
}

/** The range of timestamps that a date test matches. */
export const spanOf = (
  test: Extract<SegmentTest, { readonly at: number }> | Extract<SegmentTest, { readonly days: number }>,
  now: number
): Span => {
  if ("days" in test) return (test.operator === "InNextDays" ? nextDays : lastDays)(test.days, now)
  switch (test.operator) {
    case "Before":
      return { from: -Infinity, to: test.at }
    case "After":
      return { from: test.at + 1, to: Infinity }
    case "On":
      return { from: test.at, to: test.at + dayMillis }
  }
}
