/**
 * The rules of contact fields: their keys, labels and descriptions, and the values of each type.
 *
 * Source: docs/contributing/public-api.md "Contact field definition", docs/contributing/decisions.md 3.
 *
 * @module
 */
import { type Issue, issue, type Issues } from "../../shared/Problem.ts"
import {
  checkText,
  formatDateTime,
  isStorable,
  type Maybe,
  parseDateTime,
  formats
} from "../../shared/Validate.ts"
import type { AttributeValue } from "../../model/Contact.ts"
import type { FieldType } from "../../model/ContactField.ts"

/** The most characters of a field's or topic's key. */
export const maxKey = 40
/** The most characters of a field's label. */
export const maxLabel = 80
/** The most characters of a field's or topic's description. */
export const maxDescription = 300
/** The most characters of a Text value. */
export const maxTextValue = 1000
/** The most entries of a TextList value. */
export const maxListEntries = 100
/** The most characters of an entry of a TextList value. */
export const maxListEntry = 200

const keyPattern = /^[a-z][a-z0-9_]*$/

/** Whether a string is a valid key: at most `maxKey` lowercase letters, digits and underscores, a letter first. */
export const isKey = (key: string): boolean => key.length <= maxKey && keyPattern.test(key)

/** The built-in properties of a contact as the API reads and shows them. */
const properties = [
  "id",
  "storeId",
  "email",
  "firstName",
  "lastName",
  "phone",
  "city",
  "countryCode",
  "language",
  "consentStatus",
  "isPayingCustomer",
  "orderCount",
  "totalSpent",
  "lastOrderAt",
  "sourceCreatedAt",
  "lastSyncedAt",
  "consentUpdatedAt",
  "lastOpenAt",
  "lastClickAt",
  "lastEmailedAt",
  "addedAt",
  "lastConversionAt",
  "fromOrders",
  "consentSource",
  "storeConsentMode",
  "marketingDeclared",
  "tags",
  "attributes",
  "externalId",
  "consent",
  "topics"
]

/** The names of the built-in properties in camel case and in snake case (docs/contributing/decisions.md 3). */
const builtIns: ReadonlyMap<string, string> = new Map(
  properties.flatMap((name) =>
    [name, name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)].map((key) => [key, name])
  )
)

/** The built-in property that a key names; null if it names none. */
export const builtInOf = (key: string): string | null => builtIns.get(key) ?? null

/** The error code for a key that no field can have; undefined if the key is valid. */
export const fieldKeyError = (
  key: string
): "audience.attribute_key_invalid" | "audience.attribute_reserved" | undefined => {
  if (builtIns.has(key)) return "audience.attribute_reserved"
  return isKey(key) ? undefined : "audience.attribute_key_invalid"
}

/** A key in readable form: `trial_ends_at` becomes `Trial ends at`. */
export const readableKey = (key: string): string => {
  const words = key.replaceAll("_", " ").trim().replaceAll(/ +/g, " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Parses a label: trimmed, or the key in readable form if the label is empty or absent. */
export const parseLabel = (label: Maybe<string>, key: string, issues: Issues): string =>
  label == null ? readableKey(key) : checkText(label, "label", maxLabel, issues) || readableKey(key)

/** Parses a description: trimmed; null if it is empty or absent. */
export const parseDescription = (description: Maybe<string>, issues: Issues): string | null =>
  description == null ? null : checkText(description, "description", maxDescription, issues) || null

/** The type of the field that is created for a value with an unknown key (docs/contributing/decisions.md 3). */
export const inferType = (value: unknown): FieldType => {
  if (typeof value === "boolean") return "Boolean"
  if (typeof value === "number") return "Number"
  if (Array.isArray(value)) return value.every((entry) => typeof entry === "string") ? "TextList" : "Text"
  if (typeof value !== "string") return "Text"
  if (parseDate(value) !== null) return "Date"
  return parseDateTime(value) === null ? "Text" : "DateTime"
}

const descriptions: Readonly<Record<FieldType, string>> = {
  Text: "a string",
  Number: "a number",
  Boolean: "true or false",
  Date: "a date, such as 2026-01-31",
  DateTime: formats.dateTime,
  TextList: "a list of strings"
}

/**
 * Parses a value of a field's type: strings are trimmed, timestamps converted to UTC. Returns an issue on `field` if the value is
 * invalid: audience.attribute_type_mismatch (with `params.max` if it is too long), or validation.format if it cannot be stored.
 */
export const checkValue = (type: FieldType, value: unknown, field: string): AttributeValue | Issue => {
  const mismatch = (max?: number) =>
    issue("audience.attribute_type_mismatch", field, max === undefined ? null : { max }, {
      expected: descriptions[type]
    })
  const checkOne = (given: string, max: number): string | Issue => {
    const trimmed = given.trim()
    if (!isStorable(trimmed)) return issue("validation.format", field, null, { expected: formats.storable })
    return trimmed.length > max ? mismatch(max) : trimmed
  }
  switch (type) {
    case "Text":
      return typeof value === "string" ? checkOne(value, maxTextValue) : mismatch()
    case "Number":
      // Adding zero turns -0, which JSON does not preserve, into 0.
      return typeof value === "number" && Number.isFinite(value) ? value + 0 : mismatch()
    case "Boolean":
      return typeof value === "boolean" ? value : mismatch()
    case "Date":
      return (typeof value === "string" ? parseDate(value) : null) ?? mismatch()
    case "DateTime": {
      const timestamp = typeof value === "string" ? parseDateTime(value) : null
      return timestamp === null ? mismatch() : formatDateTime(timestamp)
    }
    case "TextList": {
      if (!Array.isArray(value) || !value.every((entry) => typeof entry === "string")) return mismatch()
      if (value.length > maxListEntries) return mismatch(maxListEntries)
      const entries: Array<string> = []
      for (const given of value) {
        const entry = checkOne(given, maxListEntry)
        if (typeof entry !== "string") return entry
        entries.push(entry)
      }
      return entries
    }
  }
}

/** Whether two values are equal. */
export const isSameValue = (a: AttributeValue, b: AttributeValue): boolean =>
  typeof a === "object" && typeof b === "object"
    ? a.length === b.length && a.every((entry, index) => entry === b[index])
    : a === b

const datePattern = /^\d{4}-\d{2}-\d{2}$/

/** Parses a day, `YYYY-MM-DD`; null if it does not exist or has another form. */
const parseDate = (given: string): string | null => {
  const day = given.trim()
  return datePattern.test(day) && parseDateTime(`${day}T00:00:00Z`) !== null ? day : null
}
