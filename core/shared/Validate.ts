/**
 * Validation and comparison of plain request values.
 *
 * @module
 */
import { type Issue, issue, type IssueSink } from "./Problem.ts"

/** A value that a request may leave out or send as null. */
export type Maybe<A> = A | null | undefined

/** Descriptions of valid values, for messages: "<field> must be ...". */
export const formats = {
  color: "a colour as # and six hexadecimal digits, such as #1a2b3c",
  country: "a country code of ISO 3166-1 alpha-2, such as DE",
  dateTime: "a date-time of ISO 8601 with an offset, such as 2026-01-31T12:00:00Z",
  displayName: "a name on one line, without control characters",
  domain: "a domain name, such as shop.example.com",
  flag: "true or false, once",
  ipAddress: "an IPv4 or IPv6 address, such as 192.0.2.1",
  language: "a language tag of BCP 47, such as en or pt-BR",
  oneLine: "one line, without line breaks",
  storable: "Unicode text without NUL characters and unpaired surrogates",
  timeZone: "an IANA time zone, such as Europe/Berlin",
  timeOfDay: "a time of day, such as 09:30",
  uuid: "a UUID, such as 0198c2f0-6d5e-7a31-9b5c-2f1e4d3c2b1a",
  webUrl: "an http or https URL"
} as const

/** Describes a choice between values, for messages: "<field> must be ...". */
export const oneOf = (values: ReadonlyArray<string>): string =>
  values.length === 1 ? values[0]! : `one of ${values.join(", ")}`

/**
 * Whether a string can be stored and sent: without NUL, which PostgreSQL rejects, and without lone surrogates, which UTF-8 cannot
 * encode.
 */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed()

/** Whether the percent-encoding in a text can be decoded as UTF-8 (RFC 3986, 2.5). */
export const isPercentEncoded = (text: string): boolean => {
  try {
    // The result is used because bundlers remove calls whose result is unused.
    return decodeURIComponent(text).length >= 0
  } catch {
    return false
  }
}

/** Trims a string and checks that it can be stored and has at most `max` characters; adds issues for `field`. */
export const checkText = (text: string, field: string, max: number, issues: IssueSink): string => {
  const trimmed = text.trim()
  if (!isStorable(trimmed))
    issues.push(issue("validation.format", field, null, { expected: formats.storable }))
  else if (trimmed.length > max) issues.push(issue("validation.max_length", field, { max }))
  return trimmed
}

/** The tolerated difference between another system's clock and the service's, milliseconds. */
export const maxClockSkew = 5_000

/** Whether a time is in the future by more than the tolerated difference of clocks. Both are epoch milliseconds. */
export const isAhead = (at: number, now: number): boolean => at > now + maxClockSkew

const dateTime = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})$/i

/**
 * Parses an ISO 8601 date-time with an offset (docs/contributing/decisions.md 2) into epoch milliseconds. Null if it is invalid,
 * on a day that does not exist, or in a UTC year that does not have four digits.
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
 * The form of a string for case-insensitive comparison: each code point in lower case by itself, with a final sigma like any
 * other. Context, language and normalization are ignored (`İ` becomes `i`, `ß` is not `ss`, `é` in two code points is not `é`
 * in one), so that the result equals PostgreSQL's
 * `replace(lower(replace(text, 'İ', 'i') collate "pg_c_utf8"), 'ς', 'σ')`.
 */
export const foldCase = (text: string): string => {
  // Only the lower case of Σ depends on its neighbours, and only that of İ has two code points.
  const plain = text.replaceAll(/[İΣς]/g, (letter) => (letter === "İ" ? "i" : "σ"))
  return plain.toLowerCase()
}

/** The longest name that is compared; known names are shorter. */
const maxName = 64

/** A name without its usual variations: case, `_`, `-` and spaces. */
const plain = (name: string): string => name.toLowerCase().replace(/[_\-\s]/g, "")

/** The number of insertions, deletions, replacements and swaps of adjacent characters between two names. */
const distance = (one: string, other: string): number => {
  let before: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const matches = one[row - 1] === other[column - 1]
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current.push(
        Math.min(
          last[column]! + 1,
          current[column - 1]! + 1,
          last[column - 1]! + (matches ? 0 : 1),
          isSwap && row > 1 && column > 1 ? before[column - 2]! + 1 : Infinity
        )
      )
    }
    before = last
    last = current
  }
  return last[other.length]!
}

/**
 * The known name most similar to a given one; null if more than a third of the characters differ from each. Case, `_`, `-` and
 * spaces are ignored.
 */
export const nearest = (name: string, known: Iterable<string>): string | null => {
  if (name.length > maxName) return null
  const given = plain(name)
  let best: string | null = null
  let least = Math.max(1, Math.floor(given.length / 3)) + 1
  for (const candidate of known) {
    const differing = distance(given, plain(candidate))
    if (differing < least) {
      best = candidate
      least = differing
    }
  }
  return best
}

/** The longest path shown in a message. */
const maxShown = 100

/** The issue of an unknown field: validation.unknown_field, with the most similar known name. */
export const unknownField = (path: string, like: string | null): Issue => {
  const shown = path.length <= maxShown ? path : `${path.slice(0, maxShown)}...`
  const guess = like === null ? "." : `; did you mean ${like}?`
  return {
    ...issue("validation.unknown_field", path),
    message: `The field ${shown} is not known${guess}`
  }
}
