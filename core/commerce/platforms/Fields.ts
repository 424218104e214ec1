/**
 * Reads fields of JSON objects that external systems send. It never throws: an invalid field is null and adds an issue.
 *
 * @module
 */
import { maxName } from "../../audience/contacts/ContactWrite.ts"
import { isWebUrl, maxItemUrl } from "../../catalog/ItemWrite.ts"
import { maxOrderLines, type OrderLine } from "../../model/Order.ts"
import { parseEmail } from "../../shared/EmailAddress.ts"
import { isExactNumber, textOfNumber } from "../../shared/Json.ts"
import { type Code, Issues, type Params, type Details } from "../../shared/Problem.ts"
import { isAhead, isStorable, maxClockSkew, parseDateTime, formats } from "../../shared/Validate.ts"
import { parseAmount } from "./Money.ts"

/** The maximum number of characters of an id of an external system. */
export const maxId = 200
/** The maximum number of characters of a short string: a state, a code, a number. */
export const maxShort = 100
/** How far the clock of an external system may be ahead, milliseconds: 5 minutes. */
const maxSkew = 300_000

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value)

/** The fields of a JSON object. A value that is not an object has none. */
export class Fields {
  readonly #given: Readonly<Record<string, unknown>>
  readonly #path: string
  readonly #issues: Issues

  /** The paths in issues begin with `path`. */
  constructor(value: unknown, path: string, issues: Issues) {
    this.#path = path
    this.#issues = issues
    this.#given = isObject(value) ? value : {}
    if (!isObject(value))
      issues.add("validation.type", path === "" ? null : path, null, { expected: "an object" })
  }

  /** Adds an issue of a field; returns null. */
  reject(key: string, code: Code, params: Params | null = null, details?: Details): null {
    this.#issues.add(code, this.#pathOf(key), params, details)
    return null
  }

  /** Returns the value of a required field. For null it adds an issue, unless the field has one already. */
  required<A>(key: string, value: A | null): A | null {
    const field = this.#pathOf(key)
    if (value === null && !this.#issues.list.some((one) => one.field === field))
      this.reject(key, "validation.required")
    return value
  }

  /** The raw value, with a number as a double; undefined if the field is missing. */
  raw(key: string): unknown {
    const value = this.#written(key)
    return isExactNumber(value) ? Number(textOfNumber(value)) : value
  }

  /** The raw value, with a number as it was written; undefined if the field is missing. */
  #written(key: string): unknown {
    return Object.hasOwn(this.#given, key) ? this.#given[key] : undefined
  }

  /** Whether a field has a value other than null. */
  has(key: string): boolean {
    return this.raw(key) != null
  }

  /** A trimmed string; null for an empty one. */
  string(key: string, max: number): string | null {
    const value = this.raw(key)
    if (value == null) return null
    if (typeof value !== "string") return this.reject(key, "validation.type", null, { expected: "a string" })
    const string = value.trim()
    if (!isStorable(string))
      return this.reject(key, "validation.format", null, { expected: formats.storable })
    return string.length > max ? this.reject(key, "validation.max_length", { max }) : string || null
  }

  /** An id: a string, or the digits of an integer. Zero is null: WooCommerce's id of a guest. */
  id(key: string): string | null {
    const value = this.raw(key)
    if (typeof value !== "number") return this.string(key, maxId)
    if (!Number.isSafeInteger(value) || value < 0) {
      return this.reject(key, "validation.format", null, {
        expected: "a string or a whole number of 0 or more"
      })
    }
    return value === 0 ? null : String(value)
  }

  /** An exact amount of money. */
  amount(key: string): string | null {
    const value = this.#written(key)
    if (value == null || value === "") return null
    return (
      parseAmount(value) ??
      this.reject(key, "validation.format", null, { expected: "an amount, such as 12.50" })
    )
  }

  /** An integer from 0 to `max`. */
  count(key: string, max: number): number | null {
    const value = this.raw(key)
    if (value == null) return null
    if (typeof value !== "number" || !Number.isInteger(value)) {
      return this.reject(key, "validation.type", null, { expected: "a whole number" })
    }
    return value < 0 || value > max ? this.reject(key, "validation.range", { min: 0, max }) : value
  }

  /** A boolean. */
  flag(key: string): boolean | null {
    const value = this.raw(key)
    if (value == null) return null
    return typeof value === "boolean"
      ? value
      : this.reject(key, "validation.type", null, { expected: "true or false" })
  }

  /** A normalized address. */
  email(key: string): string | null {
    const string = this.string(key, maxItemUrl)
    return string === null ? null : (parseEmail(string) ?? this.reject(key, "validation.email"))
  }

  /**
   * An ISO 8601 timestamp with an offset, as epoch milliseconds. A time up to 5 minutes ahead of `now` is read as `now`.
   *
   * @param suffix is appended before parsing, such as `Z`
   */
  timestamp(key: string, now: number, suffix = ""): number | null {
    const string = this.string(key, 64)
    if (string === null) return null
    const at = parseDateTime(string + suffix)
    if (at === null || at > now + maxSkew) {
      return this.reject(key, "validation.format", null, {
        expected: `${formats.dateTime}, not in the future`
      })
    }
    return Math.min(at, now)
  }

  /** As `timestamp`, for events in the past: a time in the future is rejected, beyond a tolerance for clock differences. */
  pastTimestamp(key: string, now: number): number | null {
    const at = this.timestamp(key, Number.POSITIVE_INFINITY)
    if (at === null || !isAhead(at, now)) return at === null ? null : Math.min(at, now)
    return this.reject(key, "validation.range", { max: now + maxClockSkew }, { latest: "now" })
  }

  /** An absolute http or https URL. */
  url(key: string): string | null {
    const string = this.string(key, maxItemUrl)
    if (string === null) return null
    return isWebUrl(string)
      ? string
      : this.reject(key, "validation.format", null, { expected: formats.webUrl })
  }

  /** The fields of a nested object; null if it is missing. */
  child(key: string): Fields | null {
    const value = this.raw(key)
    return value == null ? null : new Fields(value, this.#pathOf(key), this.#issues)
  }

  /** The objects of a list; empty if the field is missing. */
  list(key: string): ReadonlyArray<Fields> {
    const value = this.raw(key)
    if (value == null) return []
    if (!Array.isArray(value)) {
      this.reject(key, "validation.type", null, { expected: "a list" })
      return []
    }
    const path = this.#pathOf(key)
    return value.map((entry, index) => new Fields(entry, `${path}[${index}]`, this.#issues))
  }

  /** The same fields; invalid ones add no issues. */
  lenient(): Fields {
    return new Fields(this.#given, this.#path, new Issues())
  }

  #pathOf(key: string): string {
    return this.#path === "" ? key : `${this.#path}.${key}`
  }
}

/** The lines of an order or a cart that are stored. `productId` and `name` are the platform's names of these fields. */
export const linesOf = (
  lines: ReadonlyArray<Fields>,
  productId: string,
  name: string
): ReadonlyArray<OrderLine> =>
  lines.slice(0, maxOrderLines).map((line) => ({
    productId: line.id(productId),
    name: line.string(name, maxName) ?? "",
    quantity: line.count("quantity", 1_000_000) ?? 1,
    price: line.amount("price")
  }))

/** The digits of a Shopify id. They come from the global id if there is one, since a number may exceed 2^53. */
export const shopifyIdOf = (data: Fields): string | null => {
  const global = /^gid:\/\/shopify\/\w+\/(\d{1,30})$/.exec(
    data.string("admin_graphql_api_id", maxShort) ?? ""
  )
  return global?.[1] ?? data.id("id")
}
