/**
 * A naive model of attributes and topics in contact writes (docs/contributing/decisions.md 3): a table of values, each with the
 * type of the field it creates and its stored form for each type. Also generates the fields and topics for the comparison.
 *
 * @module
 */
import * as fc from "fast-check"
import type { AttributeValue, Contact } from "../../../../core/model/Contact.ts"
import type { ContactField, FieldType } from "../../../../core/model/ContactField.ts"
import type { Topic } from "../../../../core/model/Topic.ts"
import type { Code } from "../../../../core/shared/Problem.ts"

/** The contact fields and topics of an account. */
export interface Catalogue {
  readonly fields: ReadonlyArray<ContactField>
  readonly topics: ReadonlyArray<Topic>
  readonly autoCreate: boolean
}

const at = Date.UTC(2031, 3, 6)

/** A value as submitted, the type of the field it creates, and its stored form for each type that accepts it. */
interface Sample {
  readonly sent: unknown
  readonly makes: FieldType
  readonly stored: Partial<Record<FieldType, AttributeValue>>
}

const samples: ReadonlyArray<Sample> = [
  { sent: "pro", makes: "Text", stored: { Text: "pro" } },
  { sent: "  pro ", makes: "Text", stored: { Text: "pro" } },
  { sent: "", makes: "Text", stored: { Text: "" } },
  { sent: 3, makes: "Number", stored: { Number: 3 } },
  { sent: -0, makes: "Number", stored: { Number: 0 } },
  { sent: 0, makes: "Number", stored: { Number: 0 } },
  { sent: true, makes: "Boolean", stored: { Boolean: true } },
  { sent: false, makes: "Boolean", stored: { Boolean: false } },
  { sent: "2030-01-31", makes: "Date", stored: { Text: "2030-01-31", Date: "2030-01-31" } },
  { sent: "2030-02-30", makes: "Text", stored: { Text: "2030-02-30" } },
  {
    sent: "2030-01-31T10:00:00+02:00",
    makes: "DateTime",
    stored: { Text: "2030-01-31T10:00:00+02:00", DateTime: "2030-01-31T08:00:00.000Z" }
  },
  { sent: "2030-01-31T10:00:00", makes: "Text", stored: { Text: "2030-01-31T10:00:00" } },
  { sent: [], makes: "TextList", stored: { TextList: [] } },
  { sent: ["a ", "b"], makes: "TextList", stored: { TextList: ["a", "b"] } },
  { sent: ["a", 1], makes: "Text", stored: {} },
  { sent: { a: 1 }, makes: "Text", stored: {} },
  { sent: "x".repeat(1001), makes: "Text", stored: {} }
]

const field = (key: string, type: FieldType, values: Partial<ContactField> = {}): ContactField => ({
  accountId: "account",
  key,
  label: key,
  type,
  description: null,
  createdFrom: "Ui",
  createdAt: at,
  archivedAt: null,
  ...values
})

const knownFields: ReadonlyArray<ContactField> = [
  field("plan", "Text"),
  field("seats", "Number"),
  field("vip", "Boolean"),
  field("born", "Date"),
  field("seen", "DateTime"),
  field("langs", "TextList"),
  field("old", "Text", { archivedAt: at })
]

const topic = (key: string, isArchived = false): Topic => ({
  id: `topic:${key}`,
  accountId: "account",
  key,
  name: key,
  description: null,
  defaultOn: true,
  isArchived,
  createdAt: at
})

const topics: ReadonlyArray<Topic> = [topic("news"), topic("offers"), topic("retired", true)]

/** Keys of fields, keys that create a field (also `constructor`, which every object inherits), and invalid keys. */
const keys = [...knownFields.map((known) => known.key), "fresh", "constructor", "Bad key", "email"]

/** The fields of an account at the limit, or just below it. */
const filled = (fields: ReadonlyArray<ContactField>, free: number): ReadonlyArray<ContactField> => [
  ...fields,
  ...Array.from({ length: 100 - free - fields.length }, (_, index) => field(`filler_${index}`, "Text"))
]

export const anyCatalogue: fc.Arbitrary<Catalogue> = fc.record({
  fields: fc
    .tuple(fc.subarray([...knownFields]), fc.constantFrom(null, null, null, 0, 1))
    .map(([fields, free]) => (free === null ? fields : filled(fields, free))),
  topics: fc.constant(topics),
  autoCreate: fc.boolean()
})

/** Attributes of a write. */
export const anyAttributes = fc.dictionary(
  fc.constantFrom(...keys),
  fc.oneof(
    { arbitrary: fc.constantFrom(...samples.map((sample) => sample.sent)), weight: 4 },
    { arbitrary: fc.constant(null), weight: 1 }
  ),
  { maxKeys: 2, noNullPrototype: true }
)

/** Topics of a write. */
export const anyTopics = fc.dictionary(
  fc.constantFrom("news", "news", "offers", "offers", "retired", "none"),
  fc.boolean(),
  {
    maxKeys: 2,
    noNullPrototype: true
  }
)

/** The attributes of a stored contact. */
export const anyStoredAttributes: fc.Arbitrary<Contact["attributes"]> = fc.constantFrom<
  Contact["attributes"]
>({}, { plan: "pro" }, { plan: "free", seats: 3, old: "kept" }, { langs: ["a", "b"] })

/** The topic choices of a stored contact. */
export const anyChoices: fc.Arbitrary<Contact["topics"]> = fc.constantFrom<Contact["topics"]>(
  {},
  { "topic:news": true },
  { "topic:news": false, "topic:retired": true }
)

/** The result of a write's attributes and topics: those of the contact and the fields, or the code of the first issue. */
export const chosen = (
  contact: Contact,
  catalogue: Catalogue,
  patch: { readonly [key: string]: unknown },
  choices: { readonly [key: string]: boolean },
  now: number
): { readonly contact: Contact; readonly fields: ReadonlyArray<ContactField> } | Code => {
  const fields = [...catalogue.fields]
  const attributes = new Map(Object.entries(contact.attributes))
  for (const [key, value] of Object.entries(patch)) {
    const sample = samples.find((one) => Object.is(one.sent, value))
    const known = fields.find((one) => one.key === key)
    if (known === undefined) {
      if (sample === undefined) continue
      if (!catalogue.autoCreate) return "audience.attribute_unknown"
      if (key === "email") return "audience.attribute_reserved"
      if (key === "Bad key") return "audience.attribute_key_invalid"
      if (fields.length === 100) return "audience.attribute_limit_reached"
      const label = key.charAt(0).toUpperCase() + key.slice(1)
      fields.push(field(key, sample.makes, { label, createdFrom: "Api", createdAt: now }))
    }
    const { archivedAt, type } = fields.find((one) => one.key === key)!
    if (archivedAt !== null) return "audience.attribute_archived"
    const stored = sample?.stored[type]
    if (sample !== undefined && stored === undefined) return "audience.attribute_type_mismatch"
    if (stored === undefined) attributes.delete(key)
    else attributes.set(key, stored)
  }
  const topicChoices = new Map(Object.entries(contact.topics))
  for (const [key, on] of Object.entries(choices)) {
    const found = catalogue.topics.find((one) => one.key === key)
    if (found === undefined) return "topics.not_found"
    if (found.isArchived) return "topics.archived"
    topicChoices.set(found.id, on)
  }
  return {
    contact: {
      ...contact,
      attributes: Object.fromEntries(attributes),
      topics: Object.fromEntries(topicChoices)
    },
    fields
  }
}
