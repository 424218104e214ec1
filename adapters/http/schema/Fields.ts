/**
 * Fields that many shapes have. What is annotated here is published and not checked: of what is sent, the shape is
 * checked by type alone, and the core refuses by rules and codes of its own what breaks a limit.
 *
 * @module
 */
import { Schema } from "effect"

/** Annotations of a schema that are published as JSON Schema has them. */
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

/** A string that storage can hold: without U+0000. */
export const storable = Schema.String.annotate({ pattern: "^[^\\u0000]*$" })

/** A moment of an answer: ISO 8601 in UTC, with milliseconds and `Z`. */
export const moment = Schema.String.annotate({ format: "date-time" })

/** A moment as it is sent: ISO 8601 with offset. */
export const momentSent = Schema.String.annotate({ format: "date-time", description: "ISO 8601 with offset" })

/** A text of at most so many characters, after it is trimmed. */
export const textUpTo = (maxLength: number, description?: string) =>
  Schema.String.annotate({ maxLength, ...(description === undefined ? {} : { description }) })

/** A text of which only some are taken. */
export const oneOf = (values: ReadonlyArray<string>, description?: string) =>
  Schema.String.annotate({ enum: [...values], ...(description === undefined ? {} : { description }) })

/** A list of at most so many entries. */
export const listUpTo = <S extends Schema.Top>(item: S, maxItems: number) =>
  Schema.Array(item).annotate({ maxItems })
