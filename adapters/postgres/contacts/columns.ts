/**
 * Maps contacts and their consent history to rows.
 *
 * @module
 */
import { lastActivityOf } from "../../../core/audience/segments/ContactFilters.ts"
import type { ConsentEntry } from "../../../core/model/Consent.ts"
import { type Contact, newContact } from "../../../core/model/Contact.ts"
import { columnOf, columnsOf } from "../sql/columns.ts"

/** The columns that a contact write can set, and those that every contact has. */
const writtenTypes = {
  id: "uuid",
  externalId: "text",
  email: "text",
  formerEmails: "jsonb",
  firstName: "text",
  lastName: "text",
  phone: "text",
  city: "text",
  countryCode: "text",
  language: "text",
  consentStatus: "text",
  consentSource: "text",
  consentUpdatedAt: "timestamptz",
  consentProof: "jsonb",
  attributes: "jsonb",
  topics: "jsonb",
  addedAt: "timestamptz",
  version: "integer"
} as const

/** The other columns, with their values for a new contact: the defaults of the columns. */
const otherTypes = {
  storeId: ["uuid", null],
  storeConsentMode: ["text", null],
  marketingDeclared: ["boolean", false],
  isPayingCustomer: ["boolean", false],
  orderCount: ["integer", 0],
  totalSpent: ["numeric", "0"],
  fromOrders: ["boolean", false],
  tags: ["jsonb", null],
  sourceCreatedAt: ["timestamptz", null],
  lastSyncedAt: ["timestamptz", null],
  lastOrderAt: ["timestamptz", null],
  lastOpenAt: ["timestamptz", null],
  lastClickAt: ["timestamptz", null],
  lastEmailedAt: ["timestamptz", null],
  lastConversionAt: ["timestamptz", null],
  erasedAt: ["timestamptz", null],
  addressHash: ["text", null]
} as const

const others = Object.entries(otherTypes) as ReadonlyArray<
  [keyof typeof otherTypes, (typeof otherTypes)[keyof typeof otherTypes]]
>

/** The columns of `contacts`. */
export const contacts = columnsOf<Contact>({
  ...writtenTypes,
  ...Object.fromEntries(others.map(([field, [type]]) => [field, type]))
} satisfies Record<string, string> as Record<keyof Contact, string>)

/** The values of a row of `contact_activity`: the times by which lists find and sort contacts. */
interface ContactActivity extends Pick<Contact, "lastEmailedAt" | "lastOpenAt" | "lastClickAt"> {
  readonly contactId: string
  /** The value of `lastActivityOf` in `ContactFilters.ts`. */
  readonly activeAt: number
}

/** The columns of `contact_activity`. */
export const activities = columnsOf<ContactActivity>({
  contactId: "uuid",
  lastEmailedAt: "timestamptz",
  lastOpenAt: "timestamptz",
  lastClickAt: "timestamptz",
  activeAt: "timestamptz"
})

export const activityOf = (contact: Contact): ContactActivity => ({
  contactId: contact.id,
  lastEmailedAt: contact.lastEmailedAt,
  lastOpenAt: contact.lastOpenAt,
  lastClickAt: contact.lastClickAt,
  activeAt: lastActivityOf(contact)
})

/** The fields of a contact that determine its row in `contact_activity`. */
export const activityFields: ReadonlyArray<keyof Contact> = [
  "addedAt",
  "erasedAt",
  "lastEmailedAt",
  "lastOpenAt",
  "lastClickAt",
  "lastOrderAt",
  "lastConversionAt"
]

/** The fields of a contact that determine its row in `contact_search`. */
export const searchedFields: ReadonlyArray<keyof Contact> = [
  "email",
  "erasedAt",
  "externalId",
  "firstName",
  "lastName",
  "phone",
  "tags",
  "topics"
]

/** The columns that most contacts have. Reading half as many columns costs half as much. */
export const written = columnsOf<Pick<Contact, keyof typeof writtenTypes>>(writtenTypes)

/** Whether a field is one of `written`. */
export const isWritten = (field: keyof Contact): boolean => field in writtenTypes

/** Whether a contact has only the columns of `written`. */
export const isPlain = (contact: Contact): boolean =>
  others.every(([field, [, value]]) => contact[field] === value)

/** Placeholders for columns that an update does not change, but an inserted row needs. */
export const fillers: Readonly<Partial<Record<keyof Contact, string>>> = {
  formerEmails: "[]",
  consentStatus: "",
  attributes: "{}",
  topics: "{}",
  addedAt: "-infinity",
  marketingDeclared: "false",
  isPayingCustomer: "false",
  orderCount: "0",
  totalSpent: "0",
  fromOrders: "false"
}

/** The columns of `consents`. */
export const consents = columnsOf<ConsentEntry>({
  id: "uuid",
  contactId: "uuid",
  from: "text",
  to: "text",
  basis: "text",
  proof: "jsonb",
  source: "text",
  at: "timestamptz"
})

/** The other columns of a contact, as JSON; null if all have their defaults, as in most contacts. */
export const restOf = (table: string): string => {
  const columns = others.map(([field]) => [field, `${table}.${columnOf(field)}`] as const)
  const plain = others.map(([, [type, value]], index) => {
    const column = columns[index]![1]
    if (value === null) return `${column} is null`
    if (type === "boolean") return `not ${column}`
    // Compared as strings, because 0.00 equals 0 but is another string.
    return type === "numeric" ? `${column}::text = '${value}'` : `${column} = ${value}`
  })
  const pairs = others.map(([field, [type]], index) => {
    const column = columns[index]![1]
    if (type === "timestamptz") return `'${field}', extract(epoch from ${column}) * 1000`
    return `'${field}', ${type === "numeric" ? `${column}::text` : column}`
  })
  return `case when ${plain.join(" and ")} then null else jsonb_build_object(${pairs.join(", ")}) end`
}

const blank = newContact("", "", 0)

/** The contact of a row of `written` and `restOf`. */
export const toContact = (values: ReadonlyArray<unknown>): Contact => {
  const contact = written.revive(values, blank)
  const rest = values.at(-1) as Partial<Contact> | null
  return rest === null ? contact : { ...contact, ...rest }
}
