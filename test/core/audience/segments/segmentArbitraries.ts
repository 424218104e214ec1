/**
 * Generated people and segment definitions. Both use the same few values, so that rules often match.
 *
 * @module
 */
import * as fc from "fast-check"
import { consentStatuses } from "../../../../core/model/Consent.ts"
import type { AttributeValue, Contact } from "../../../../core/model/Contact.ts"
import type { ContactField, FieldType } from "../../../../core/model/ContactField.ts"
import { campaignCountOperators, campaignOperators } from "../../../../core/model/SegmentDefinition.ts"
import type { CampaignEmail } from "../../../../core/audience/segments/SegmentEvaluator.ts"
import type { DefinitionWrite } from "../../../../core/audience/segments/SegmentRules.ts"
import type { Topic } from "../../../../core/model/Topic.ts"
import { formatDateTime, isStorable } from "../../../../core/shared/Validate.ts"

const day = 86_400_000
/** The time at which definitions are evaluated. */
export const now = Date.UTC(2031, 4, 6, 7, 8, 9, 123)
const today = Date.UTC(2031, 4, 6)

const fieldTypes: Readonly<Record<string, FieldType>> = {
  text: "Text",
  number: "Number",
  flag: "Boolean",
  day: "Date",
  moment: "DateTime",
  list: "TextList"
}
/** A field of each type, one of them archived. */
export const fields = Object.entries(fieldTypes).map(([key, type]): ContactField => ({
  accountId: "",
  key,
  label: key,
  type,
  description: null,
  createdFrom: "Api",
  createdAt: 0,
  archivedAt: key === "text" ? now : null
}))
/** Topics that are on and off by default. */
export const topics = ["on", "off"].map((key): Topic => ({
  id: `00000000-0000-7000-8000-00000000000${key.length}`,
  accountId: "",
  key,
  name: key,
  description: null,
  defaultOn: key === "on",
  isArchived: key === "off",
  createdAt: 0
}))

/** Strings that differ only in case, or appear to. */
const words = [
  ["Ada", "ADA", "ada", "adA b"],
  ["İstanbul", "istanbul", "i̇stanbul", "ISTANBUL", "ıstanbul"],
  ["Straße", "STRASSE", "STRAẞE", "strasse"],
  ["ΟΔΟΣ", "οδος", "οδοσ", "Οδός", "ΟΔΟΣ Α"],
  ["é", "É", "e\u0301", "E\u0301", "e"],
  ["𐐀", "𐐨", "Ǆ", "ǅ", "ǆ", "Ω", "ω", "K", "k", "Å", "å", "Ⴀ", "ⴀ", "Ꭰ", "ꭰ"],
  ["%", "_", "a%", "a\\b", "'", '"', "$1", "{a,b}", "NULL", "null", "[]", "\\u00DF", "\u0001\u001F", "?|"]
].flat()

const text = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...words) },
  { weight: 1, arbitrary: fc.constantFrom("x".repeat(1000), "Ω".repeat(999)) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 }) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...words), fc.constantFrom(...words)).map((pair) => pair.join(""))
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 5 }).filter(isStorable) }
)
const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 0.1, 0.2, 0.1 + 0.2, 0.3, 12_345_678_901_234.56, 2 ** 53, 1e21, 1e-7, 5e-324),
  fc.constantFrom(1.797_693_134_862_315_7e308, -1e300, 129.9, 129.90000000000001, -129.9),
  fc.integer({ min: -3, max: 3 }),
  fc.double({ noNaN: true, noDefaultInfinity: true })
)
const decimal = fc.constantFrom(
  "0",
  "0.3",
  "0.30000000000000004",
  "129.90",
  "12345678901234.56",
  "1",
  "-1",
  "2.0"
)
/** Timestamps near the edges of days, near now and far from it. */
const timestamp = fc.oneof(
  fc
    .tuple(fc.integer({ min: -4, max: 4 }), fc.constantFrom(-1, 0, 1, 1000, day / 2))
    .map(([days, millis]) => today + days * day + millis),
  fc.constantFrom(
    now,
    now - 1,
    now + 1,
    now - day,
    now + day,
    Date.UTC(1000, 0, 1),
    Date.UTC(9999, 11, 31) + day - 1
  ),
  fc.integer({ min: today - 5 * day, max: today + 5 * day })
)
const dayText = timestamp.map((at) => formatDateTime(at).slice(0, 10))
const items = fc.array(text, { maxLength: 4 })
const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: null, freq: 4 })
const eventName = fc.constantFrom("bought", "Bought", "user.signed_up", "'; drop table contacts")

const attributes: fc.Arbitrary<Readonly<Record<string, AttributeValue>>> = fc.record(
  {
    text: fc.oneof(text, fc.constant("")),
    number: number.map((value) => value + 0),
    flag: fc.boolean(),
    day: dayText,
    moment: timestamp.map(formatDateTime),
    list: items
  },
  { requiredKeys: [] }
) as never

const column = maybe(fc.oneof(text, fc.constant("")))

const contact: fc.Arbitrary<Partial<Contact>> = fc.record({
  firstName: column,
  lastName: column,
  phone: column,
  city: column,
  countryCode: maybe(fc.constantFrom("DE", "TR")),
  language: maybe(fc.constantFrom("de", "de-AT", "tr")),
  consentStatus: fc.constantFrom(...consentStatuses),
  isPayingCustomer: fc.boolean(),
  orderCount: fc.integer({ min: 0, max: 3 }),
  totalSpent: decimal,
  lastOrderAt: maybe(timestamp),
  lastOpenAt: maybe(timestamp),
  lastClickAt: maybe(timestamp),
  lastEmailedAt: maybe(timestamp),
  addedAt: timestamp,
  tags: maybe(items),
  attributes,
  topics: fc.dictionary(fc.constantFrom(...topics.map((topic) => topic.id)), fc.boolean())
})

/** The ids of campaigns. */
export const campaignIds = ["a", "b"].map((end) => `01890a5d-ac96-774b-bcce-b302099a804${end}`)

const campaignEmail: fc.Arbitrary<CampaignEmail> = fc.record({
  campaignId: fc.constantFrom(...campaignIds),
  submittedAt: timestamp,
  status: fc.constantFrom("Queued", "Delivered", "Sent", "Bounced", "Failed", "Suppressed"),
  isOpened: fc.boolean(),
  isClicked: fc.boolean()
})

/** The generated properties of a contact. All other properties are the same for every contact. */
export interface Drawn {
  readonly contact: Partial<Contact>
  readonly events: ReadonlyArray<{ readonly name: string; readonly occurredAt: number }>
  /** At most one email of each campaign. */
  readonly campaignEmails: ReadonlyArray<CampaignEmail>
  /** The ids of campaigns. */
  readonly convertedBy: ReadonlyArray<string>
  readonly isErased: boolean
  readonly isSuppressed: boolean
}

/** A person of a population. */
export const person: fc.Arbitrary<Drawn> = fc.record({
  contact,
  events: fc.array(fc.record({ name: eventName, occurredAt: timestamp }), { maxLength: 4 }),
  campaignEmails: fc.uniqueArray(campaignEmail, { selector: ({ campaignId }) => campaignId, maxLength: 2 }),
  convertedBy: fc.subarray(campaignIds),
  isErased: fc.integer({ min: 0, max: 9 }).map((draw) => draw === 0),
  isSuppressed: fc.integer({ min: 0, max: 3 }).map((draw) => draw === 0)
})

type RuleWrite = DefinitionWrite["rules"][number]

const rule = (
  fieldKey: fc.Arbitrary<string>,
  operator: fc.Arbitrary<string>,
  value: fc.Arbitrary<unknown> = fc.constant(null)
): fc.Arbitrary<RuleWrite> => fc.record({ fieldKey, operator, value })

const oneOf = fc.constantFrom
const textKey = oneOf(
  "email",
  "firstName",
  "lastName",
  "phone",
  "city",
  "countryCode",
  "language",
  "consentStatus",
  "attributes.text"
)
const wanted = fc
  .oneof(text, oneOf("Subscribed", "DE", "de", "person", "example.com"))
  .filter((word) => word.trim() !== "")
const dateKey = oneOf(
  "lastOrderAt",
  "lastOpenAt",
  "lastClickAt",
  "lastEmailedAt",
  "addedAt",
  "attributes.day",
  "attributes.moment"
)
const numberKey = oneOf("orderCount", "totalSpent", "attributes.number")
const longList = fc
  .array(wanted, { minLength: 1, maxLength: 6 })
  .chain((some) =>
    fc
      .boolean()
      .map((long) => (long ? [...some, ...Array.from({ length: 900 }, (_, index) => `w${index}`)] : some))
  )
const days = oneOf(1, 2, 3, 4, 30, 36_525)
const anyKey = fc.oneof(
  textKey,
  dateKey,
  numberKey,
  oneOf(
    "tags",
    "attributes.list",
    "isPayingCustomer",
    "attributes.flag",
    "topics.on",
    "topics.off",
    "events.bought"
  )
)

const anyRule = fc.oneof(
  rule(textKey, oneOf("Equals", "NotEquals", "Contains", "NotContains", "StartsWith", "EndsWith"), wanted),
  rule(textKey, oneOf("In", "NotIn"), longList),
  rule(
    numberKey,
    oneOf("Equals", "NotEquals", "GreaterThan", "GreaterOrEqual", "LessThan", "LessOrEqual"),
    number
  ),
  rule(
    numberKey,
    oneOf("Between"),
    fc.oneof(fc.record({ from: number, to: number }), fc.tuple(number, number))
  ),
  rule(dateKey, oneOf("Before", "After", "On"), fc.oneof(dayText, timestamp.map(formatDateTime))),
  rule(dateKey, oneOf("InLastDays", "NotInLastDays", "InNextDays"), days),
  rule(oneOf("isPayingCustomer", "attributes.flag", "topics.on", "topics.off"), oneOf("IsTrue", "IsFalse")),
  rule(oneOf("tags", "attributes.list"), oneOf("HasAny", "HasAll", "HasNone"), longList),
  rule(
    eventName.map((name) => `events.${name}`),
    oneOf("HappenedAtLeast", "HappenedLessThan"),
    fc.record({ count: fc.integer({ min: 1, max: 3 }), days })
  ),
  rule(oneOf(...campaignIds.map((id) => `campaigns.${id}`)), oneOf(...campaignOperators)),
  rule(
    oneOf("campaigns.any"),
    oneOf(...campaignCountOperators),
    fc.record({ count: fc.integer({ min: 1, max: 2 }), days })
  ),
  rule(anyKey, oneOf("IsSet", "IsNotSet"))
)

/** A submitted definition that is valid. */
export const definition: fc.Arbitrary<DefinitionWrite> = fc.record({
  join: oneOf("All", "Any"),
  rules: fc.oneof(
    { weight: 3, arbitrary: fc.array(anyRule, { minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.array(anyRule, { maxLength: 5 }) }
  )
})
