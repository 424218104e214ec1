/**
 * The rules of contact fields: keys, labels, and which values a type takes.
 *
 * Source: public-api "Contact field definition", decisions 3.
 *
 * @module
 */
import { type Code, type Issue, issue, type Params } from "../../shared/Problem.ts"
import { checkText, formatDateTime, isStorable, type Maybe, parseDateTime } from "../../shared/Validate.ts"
import type { AttributeValue } from "../../model/Contact.ts"
import type { FieldType } from "../../model/ContactField.ts"

/** The most characters of a field's key, which is also the most of a topic's. */
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

/** Whether a text can be a key: lowercase letters, digits and underscore, a letter first, at most `maxKey`. */
export const isKey = (text: string): boolean => text.length <= maxKey && keyPattern.test(text)

/** Every built-in of a contact as it is read. */
const builtIns: ReadonlySet<string> = new Set([
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
  "attributes"
])

/** Why no field can have this key; undefined when one can. */
export const refuseFieldKey = (
  key: string
): "audience.attribute_key_invalid" | "audience.attribute_reserved" | undefined => {
  if (builtIns.has(key)) return "audience.attribute_reserved"
  return isKey(key) ? undefined : "audience.attribute_key_invalid"
}

/** A key made readable: `trial_ends_at` is `Trial ends at`. */
export const readableKey = (key: string): string => {
  const words = key.replaceAll("_", " ").trim().replaceAll(/ +/g, " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A label as it is kept: trimmed, the key made readable where it is empty or left out. */
export const checkLabel = (label: Maybe<string>, key: string, issues: Array<Issue>): string =>
  label == null ? readableKey(key) : checkText(label, "label", maxLabel, issues) || readableKey(key)

/** A description as it is kept: trimmed, null where it is empty or left out. */
export const checkDescription = (description: Maybe<string>, issues: Array<Issue>): string | null =>
  description == null ? null : checkText(description, "description", maxDescription, issues) || null

/** The type of the field that a value makes where there is none of its key (decisions 3). */
export const inferType = (value: unknown): FieldType => {
  if (typeof value === "boolean") return "Boolean"
  if (typeof value === "number") return "Number"
  if (Array.isArray(value)) return value.every((entry) => typeof entry === "string") ? "TextList" : "Text"
  if (typeof value !== "string") return "Text"
  if (parseDate(value) !== null) return "Date"
  return parseDateTime(value) === null ? "Text" : "DateTime"
}

/**
 * A value as a field of that type keeps it: texts trimmed, moments in UTC. An issue on `field` when it is no such
 * value: audience.attribute_type_mismatch, with `params.max` where it is too long.
 */
export const checkValue = (type: FieldType, value: unknown, field: string): AttributeValue | Issue => {
  const refuse = (code: Code, params: Params | null = null) => issue(code, field, params)
  const mismatch = (max?: number) =>
    refuse("audience.attribute_type_mismatch", max === undefined ? null : { max })
  const checkOne = (text: string, max: number): string | Issue => {
    const trimmed = text.trim()
    if (!isStorable(trimmed)) return refuse("validation.format")
    return trimmed.length > max ? mismatch(max) : trimmed
  }
  switch (type) {
    case "Text":
      return typeof value === "string" ? checkOne(value, maxTextValue) : mismatch()
    case "Number":
      // Adding zero turns -0, which JSON does not keep, into 0.
      return typeof value === "number" && Number.isFinite(value) ? value + 0 : mismatch()
    case "Boolean":
      return typeof value === "boolean" ? value : mismatch()
    case "Date":
      return (typeof value === "string" ? parseDate(value) : null) ?? mismatch()
    case "DateTime": {
      const moment = typeof value === "string" ? parseDateTime(value) : null
      return moment === null ? mismatch() : formatDateTime(moment)
    }
    case "TextList": {
      if (!Array.isArray(value) || !value.every((entry) => typeof entry === "string")) return mismatch()
      if (value.length > maxListEntries) return mismatch(maxListEntries)
      const entries: Array<string> = []
      for (const text of value) {
        const entry = checkOne(text, maxListEntry)
        if (typeof entry !== "string") return entry
        entries.push(entry)
      }
      return entries
    }
  }
}

/** Whether two values are the same. */
export const isSameValue = (a: AttributeValue, b: AttributeValue): boolean =>
  typeof a === "object" && typeof b === "object"
    ? a.length === b.length && a.every((entry, index) => entry === b[index])
    : a === b

const datePattern = /^\d{4}-\d{2}-\d{2}$/

/** A day that exists, as `YYYY-MM-DD`; null when a text is none. */
const parseDate = (text: string): string | null => {
  const day = text.trim()
  return datePattern.test(day) && parseDateTime(`${day}T00:00:00Z`) !== null ? day : null
}
