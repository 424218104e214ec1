/**
 * Validation and comparison of plain request values.
 *
 * @module
 */
import { issue, type IssueSink } from "./Problem.ts"

/** A value that a request may leave out or send as null. */
export type Maybe<A> = A | null | undefined

/**
 * Whether a string can be stored and sent: no NUL, which PostgreSQL rejects, and no lone surrogate, which UTF-8 cannot
 * encode.
 */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed()

/** Trims a string and validates that it can be stored and has at most `max` characters; adds issues of `field`. */
export const checkText = (text: string, field: string, max: number, issues: IssueSink): string => {
  const trimmed = text.trim()
  if (!isStorable(trimmed)) issues.push(issue("validation.format", field))
  else if (trimmed.length > max) issues.push(issue("validation.max_length", field, { max }))
  return trimmed
}

/** How far the clock of another system may differ from the service's, milliseconds. */
export const maxClockSkew = 5_000

/** Whether a time is in the future, beyond what clocks may differ. Both are epoch milliseconds. */
export const isAhead = (at: number, now: number): boolean => at > now + maxClockSkew

const dateTime = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})$/i

/**
 * Parses an ISO 8601 date-time with an offset (docs/contributing/decisions.md 2) into epoch milliseconds; null when it is
 * invalid, on a day that does not exist, or in a year without four digits in UTC.
 */
export const parseDateTime = (text: string): number | null => {
  const match = dateTime.exec(text.trim())
  if (match === null) return null
  const [, year, month, day, hour, minute, second = "0", fraction = "", offset = "Z"] = match
  const millis = Number(fraction.padEnd(3, "0").slice(0, 3))
  const [y, mo, d] = [Number(year), Number(month), Number(day)]
  const [h, mi, s] = [Number(hour), Number(minute), Number(second)]
  if (y < 1000 || mo < 1 || mo > 12 || d < 1 || h > 23 || mi > 59 || s > 59) return null
  const local = Date.UTC(y, mo - 1, d, h, mi, s, millis)
  const date = new Date(local)
  if (date.getUTCDate() !== d || date.getUTCMonth() !== mo - 1 || date.getUTCFullYear() !== y) return null
  const shift = offsetMillis(offset)
  if (shift === null) return null
  const millisUtc = local - shift
  const utcYear = new Date(millisUtc).getUTCFullYear()
  return utcYear < 1000 || utcYear > 9999 ? null : millisUtc
}

const offsetMillis = (offset: string): number | null => {
  if (offset.toUpperCase() === "Z") return 0
  const digits = offset.slice(1).replace(":", "")
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))]
  if (hours > 23 || minutes > 59) return null
  const millis = (hours * 60 + minutes) * 60_000
  return offset.startsWith("-") ? -millis : millis
}

/** Writes epoch milliseconds as ISO 8601 in UTC with `Z` and milliseconds. */
export const formatDateTime = (millis: number): string => new Date(millis).toISOString()

/**
 * A string in the form in which strings are compared without regard to case: the lower case of each code point by itself,
 * with a final sigma as any other. Context, language and normalization play no part (`İ` is `i`, `ß` is not `ss`, `é` of two
 * code points is not `é` of one), so that the result equals PostgreSQL's
 * `replace(lower(replace(text, 'İ', 'i') collate "pg_c_utf8"), 'ς', 'σ')`.
 */
export const foldCase = (text: string): string => {
  // Only Σ depends on its neighbours, and only İ becomes two code points.
  const plain = text.replaceAll(/[İΣς]/g, (letter) => (letter === "İ" ? "i" : "σ"))
  return plain.toLowerCase()
}
