/**
 * Reads values of any shape from external systems, without ever failing: a field that is missing or of an unexpected type is
 * null.
 *
 * @module
 */
import { comparableAddress } from "../../shared/EmailAddress.ts"
import { isExactNumber, textOfNumber } from "../../shared/Json.ts"

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** The maximum number of characters that are read of a text. */
const maxText = 4_000
const maxWords = 300
const maxAddress = 320

/** The maximum number of entries that are read of a list inside an entry, such as recipients or tags. */
const maxListed = 100

/** Whether a value is an object, and neither a list nor a number. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value)

/** An own property of an object; undefined if there is none. */
const valueOf = (fields: unknown, name: string): unknown =>
  isFields(fields) && Object.hasOwn(fields, name) ? fields[name] : undefined

/** The object at a path of names; an empty object if there is none. */
export const fieldsOf = (fields: unknown, ...path: ReadonlyArray<string>): Fields => {
  let value = fields
  for (const name of path) value = valueOf(value, name)
  return isFields(value) ? value : {}
}

/** The list in a field, cut to `maxListed` entries; empty if there is none. */
export const listOf = (fields: unknown, name: string): ReadonlyArray<unknown> => {
  const value = valueOf(fields, name)
  return Array.isArray(value) ? (value as ReadonlyArray<unknown>).slice(0, maxListed) : []
}

/** A text in storable form, whatever the provider passes on from a server or a browser. */
const written = (value: unknown): string | null => {
  if (typeof value === "string") return value.slice(0, maxText).replaceAll("\0", "").toWellFormed().trim()
  return typeof value === "number" || isExactNumber(value) ? textOfNumber(value) : null
}

/** A value as text, trimmed and cut, with a number as it was written; null for any other value and for an empty text. */
export const asText = (value: unknown): string | null => {
  const text = written(value)
  return text === "" ? null : text
}

/** The text of a field; null if there is none. */
export const textOf = (fields: unknown, name: string): string | null => asText(valueOf(fields, name))

/** A boolean field, which may also be given as text; null for any other value. */
export const flagOf = (fields: unknown, name: string): boolean | null => {
  const value = valueOf(fields, name)
  if (typeof value === "boolean") return value
  return value === "true" ? true : value === "false" ? false : null
}

/** The first of the fields that has text. */
export const firstText = (fields: unknown, ...names: ReadonlyArray<string>): string | null => {
  for (const name of names) {
    const text = textOf(fields, name)
    if (text !== null) return text
  }
  return null
}

/** An address, folded for comparison; null for an invalid one. `Name <a@b.c>` is accepted too. */
export const addressOf = (text: string | null): string | null => {
  if (text === null) return null
  const open = text.lastIndexOf("<")
  const close = text.indexOf(">", open + 1)
  const bare = open !== -1 && close !== -1 ? text.slice(open + 1, close) : text
  return bare.includes("@") && bare.length <= maxAddress ? comparableAddress(bare.trim()) : null
}

/** An id without angle brackets; null for an empty one. */
export const idOf = (text: string | null): string | null => {
  const bare = text?.replace(/^</, "").replace(/>$/, "").trim() ?? ""
  return bare === "" ? null : bare
}

/** The texts that are not null, without duplicates. */
export const present = (...texts: ReadonlyArray<string | null>): ReadonlyArray<string> => [
  ...new Set(texts.filter((text) => text !== null))
]

/** Texts joined on one line for people. Equal texts occur once. */
export const wordsOf = (...texts: ReadonlyArray<string | null>): string | null => {
  const lines = present(...texts).map(oneLine)
  const said = lines.filter(
    (line, index) => line !== "" && !lines.some((other, at) => at < index && other.includes(line))
  )
  return said.length === 0 ? null : said.join(" ").slice(0, maxWords).toWellFormed()
}

const oneLine = (text: string): string =>
  text
    .slice(0, 4 * maxWords)
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
    .trim()

/** A time in the past, epoch milliseconds; `now` if it is missing, in the future, or implausibly early. */
export const pastTime = (millis: number | null, now: number): number =>
  millis !== null && Number.isFinite(millis) && millis > earliest && millis < now ? Math.floor(millis) : now

const earliest = Date.UTC(2000, 0, 1)

/** Epoch milliseconds from a field with seconds, given as a number or digits; null for any other value. */
export const secondsOf = (fields: unknown, name: string): number | null => {
  const millis = millisOf(fields, name)
  return millis === null ? null : millis * 1000
}

/** Epoch milliseconds from a field with milliseconds; null for any other value. */
export const millisOf = (fields: unknown, name: string): number | null => {
  const text = textOf(fields, name)
  return text === null || !/^\d{1,16}(?:\.\d{1,9})?$/.test(text) ? null : Number(text)
}

/** Epoch milliseconds from a field with a date and time (ISO 8601); null for any other value. */
export const dateTimeOf = (fields: unknown, name: string): number | null => {
  const text = textOf(fields, name)
  if (text === null || !/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)) return null
  // Some providers state more decimals of a second than a date can have, and omit the zone if it is UTC.
  const [, day, time, zone] = isoForm.exec(text) ?? []
  if (day === undefined) return null
  const millis = Date.parse(`${day}T${time}${zone === undefined ? "Z" : withColon(zone)}`)
  return Number.isNaN(millis) ? null : millis
}

const isoForm =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)\d{0,9} ?(?:UTC)?(Z|[+-]\d\d(?::?\d\d)?)?$/

/** The offset `+00` or `+0000` as `+00:00`. */
const withColon = (zone: string): string => {
  if (zone === "Z" || zone.includes(":")) return zone
  return zone.length === 3 ? `${zone}:00` : `${zone.slice(0, 3)}:${zone.slice(3)}`
}
