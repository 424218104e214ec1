/**
 * Defines fields that many shapes share. Their annotations are published but, for bodies, not checked: a body is checked by
 * type only, and the core rejects values outside the limits with its own codes. Query parameters are decoded according to
 * the annotations.
 *
 * @module
 */
import { Schema } from "effect"

/** Annotations of a schema that are published as JSON Schema keywords. */
export const publishedKeywords: ReadonlyArray<string> = [
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "maxProperties",
  "minimum",
  "maximum",
  "enum"
]

/** An id of the service, a UUID. */
export const id = Schema.String.annotate({ format: "uuid" })

/** An email address. */
export const email = Schema.String.annotate({ format: "email" })

/** A domain name. */
export const domain = Schema.String.annotate({ format: "hostname" })

/** A country code of ISO 3166-1. */
export const country = Schema.String.annotate({ format: "country" })

/** A language tag of BCP 47. */
export const language = Schema.String.annotate({ format: "language" })

/** A string that storage can hold: without U+0000. */
export const storable = Schema.String.annotate({ pattern: "^[^\\u0000]*$" })

/**
 * Annotates a part of a request whose numbers are kept as written if a double would not reproduce them. All other numbers
 * become doubles.
 */
export const asWritten = { numbers: "written" } as const

/** A timestamp of a response: ISO 8601 in UTC, with milliseconds and `Z`. */
export const timestamp = Schema.String.annotate({ format: "date-time" })

/** A timestamp of a request: ISO 8601 with offset. */
export const timestampWithOffset = Schema.String.annotate({
  format: "date-time",
  description: "ISO 8601 with offset"
})

/** A string with a maximum length, after it is trimmed. */
export const textUpTo = (maxLength: number, description?: string) =>
  Schema.String.annotate({ maxLength, ...(description === undefined ? {} : { description }) })

/** A string that must be one of some values. */
export const oneOf = (values: ReadonlyArray<string>, description?: string) =>
  Schema.String.annotate({ enum: [...values], ...(description === undefined ? {} : { description }) })

/** A list with a maximum number of entries. */
export const listUpTo = <S extends Schema.Top>(item: S, maxItems: number) =>
  Schema.Array(item).annotate({ maxItems })
