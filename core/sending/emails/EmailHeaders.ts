/**
 * Validates the extra headers of a request (docs/contributing/decisions.md 5).
 *
 * @module
 */
import type { Issues } from "../../shared/Problem.ts"
import { isStorable, type Maybe } from "../../shared/Validate.ts"
import type { ExtraHeader } from "../../model/Submission.ts"

/** Headers as submitted: by name, or as a list, in which a name can occur twice. */
export type HeadersWrite = Readonly<Record<string, string>> | ReadonlyArray<ExtraHeader>

/** The maximum number of extra headers of an email. */
export const maxHeaders = 20

const maxValue = 2_000
/**
 * A run without a space that is too long. A line has at most 998 characters (RFC 5322, 2.1.1) and can be folded only at
 * spaces.
 */
const unbreakable = /(?<!\S)\S{901}/
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
/** A field name (RFC 5322, 3.6.8) that begins with `X-`. */
const extension = /^X-[\x21-\x39\x3b-\x7e]{1,74}$/i
const own = /^X-Svc-/i
/** The headers that refer to other messages, by lower-case name; each occurs at most once (RFC 5322, 3.6). */
const references = new Map([
  ["in-reply-to", "In-Reply-To"],
  ["references", "References"]
])
const printable = /^[\x20-\x7e]*$/

/** Validates headers. The returned headers are valid only if no issue was added. */
export const checkHeaders = (given: Maybe<HeadersWrite>, issues: Issues): ReadonlyArray<ExtraHeader> => {
  const headers = listOf(given ?? [])
  if (headers.length > maxHeaders) {
    issues.add("sending.headers_too_many", "headers", { max: maxHeaders }, { found: String(headers.length) })
    return []
  }
  const seen = new Set<string>()
  return headers.map(({ name: givenName, value: givenValue }) => {
    const reference = references.get(givenName.toLowerCase())
    const name = reference ?? givenName
    const value = givenValue.trim()
    const isAllowed = reference === undefined ? extension.test(name) && !own.test(name) : !seen.has(reference)
    if (reference !== undefined) seen.add(reference)
    const field = printable.test(name) && name.length <= 76 ? `headers.${name}` : "headers"
    if (!isAllowed) issues.add("sending.header_not_allowed", field, null, { key: name })
    else if (value.length > maxValue) issues.add("validation.max_length", field, { max: maxValue })
    else if (!isValue(value) || (reference !== undefined && !printable.test(value))) {
      issues.add("sending.header_invalid", field, null, { key: name })
    }
    return { name, value }
  })
}

const listOf = (given: HeadersWrite): ReadonlyArray<ExtraHeader> =>
  isList(given) ? given : Object.entries(given).map(([name, value]) => ({ name, value }))

const isList = (given: HeadersWrite): given is ReadonlyArray<ExtraHeader> => Array.isArray(given)

const isValue = (value: string): boolean =>
  value !== "" && isStorable(value) && !controls.test(value) && !unbreakable.test(value)
