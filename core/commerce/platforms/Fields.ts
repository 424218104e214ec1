/**
 * Reads values out of what outside systems send. Total: whatever the value is, a field that is not as it should be is
 * null and an issue.
 *
 * @module
 */
import { parseEmail } from "../../shared/EmailAddress.ts"
import { type Code, type Issue, issue, type Params } from "../../shared/Problem.ts"
import { isStorable, parseDateTime } from "../../shared/Validate.ts"
import { parseAmount } from "./Money.ts"

/** The most characters of an id of an outside system. */
export const maxId = 200
/** The most characters of a web address. */
const maxUrl = 2000
/** No outside system is that far ahead of the clock for a good reason; 5 minutes. */
const maxSkew = 300_000

/** Whether a text is an absolute web address. */
const isWebUrl = (text: string): boolean => {
  if (!/^https?:\/\/\S+$/i.test(text)) return false
  try {
    return new URL(text).hostname !== ""
  } catch {
    return false
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The fields of an object, or of nothing where the value is none. */
export class Fields {
  readonly #given: Readonly<Record<string, unknown>>
  readonly #path: string
  readonly #issues: Array<Issue>

  /** Issues are named by the path of their field below `path`. */
  constructor(value: unknown, path: string, issues: Array<Issue>) {
    this.#path = path
    this.#issues = issues
    this.#given = isObject(value) ? value : {}
    if (!isObject(value)) issues.push(issue("validation.type", path === "" ? null : path))
  }

  /** Says that something is wrong with a field. */
  refuse(key: string, code: Code, params: Params | null = null): null {
    this.#issues.push(issue(code, this.#pathOf(key), params))
    return null
  }

  /** What was read of a field that has to be there: one that is missing, empty or null is refused, unless it was already. */
  required<A>(key: string, value: A | null): A | null {
    const field = this.#pathOf(key)
    if (value === null && !this.#issues.some((one) => one.field === field))
      this.refuse(key, "validation.required")
    return value
  }

  /** A value as it was sent; undefined where there is none. */
  raw(key: string): unknown {
    return Object.hasOwn(this.#given, key) ? this.#given[key] : undefined
  }

  /** Whether a field has a value at all. */
  has(key: string): boolean {
    return this.raw(key) != null
  }

  /** A text, trimmed; null for an empty one. */
  text(key: string, max: number): string | null {
    const value = this.raw(key)
    if (value == null) return null
    if (typeof value !== "string") return this.refuse(key, "validation.type")
    const text = value.trim()
    if (!isStorable(text)) return this.refuse(key, "validation.format")
    return text.length > max ? this.refuse(key, "validation.max_length", { max }) : text || null
  }

  /** An id: a text, or a whole number as its digits. Zero is nobody's id. */
  id(key: string): string | null {
    const value = this.raw(key)
    if (typeof value !== "number") return this.text(key, maxId)
    if (!Number.isSafeInteger(value) || value < 0) return this.refuse(key, "validation.format")
    return value === 0 ? null : String(value)
  }

  /** An exact amount of money. */
  amount(key: string): string | null {
    const value = this.raw(key)
    if (value == null || value === "") return null
    return parseAmount(value) ?? this.refuse(key, "validation.format")
  }

  /** A whole number of 0 or more. */
  count(key: string, max: number): number | null {
    const value = this.raw(key)
    if (value == null) return null
    if (typeof value !== "number" || !Number.isInteger(value)) return this.refuse(key, "validation.type")
    return value < 0 || value > max ? this.refuse(key, "validation.range", { min: 0, max }) : value
  }

  /** True or false. */
  flag(key: string): boolean | null {
    const value = this.raw(key)
    if (value == null) return null
    return typeof value === "boolean" ? value : this.refuse(key, "validation.type")
  }

  /** A normalized address. */
  email(key: string): string | null {
    const text = this.text(key, maxUrl)
    return text === null ? null : (parseEmail(text) ?? this.refuse(key, "validation.email"))
  }

  /** An ISO 8601 date-time with an offset, not after `now` but for some minutes of skew; `now` then. */
  moment(key: string, now: number, suffix = ""): number | null {
    const text = this.text(key, 64)
    if (text === null) return null
    const at = parseDateTime(text + suffix)
    if (at === null || at > now + maxSkew) return this.refuse(key, "validation.format")
    return Math.min(at, now)
  }

  /** A web address. */
  url(key: string): string | null {
    const text = this.text(key, maxUrl)
    if (text === null) return null
    return isWebUrl(text) ? text : this.refuse(key, "validation.format")
  }

  /** The fields of an object; null where there is none. */
  child(key: string): Fields | null {
    const value = this.raw(key)
    return value == null ? null : new Fields(value, this.#pathOf(key), this.#issues)
  }

  /** The objects of a list; none where there is no list. */
  list(key: string): ReadonlyArray<Fields> {
    const value = this.raw(key)
    if (value == null) return []
    if (!Array.isArray(value)) {
      this.refuse(key, "validation.type")
      return []
    }
    const path = this.#pathOf(key)
    return value.map((entry, index) => new Fields(entry, `${path}[${index}]`, this.#issues))
  }

  #pathOf(key: string): string {
    return this.#path === "" ? key : `${this.#path}.${key}`
  }
}
