/**
 * JSON values, the equality of plain data, and exact numbers: those whose text a double does not reproduce, such as `1.10` and
 * `12345678901234567890`. Exact numbers are plain data too, so they can be stored, copied and sent between threads like any JSON
 * value.
 *
 * @module
 */

/** Any JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** Whether two values of plain data are equal, regardless of the order of their keys. */
export const deepEqual = (a: unknown, b: unknown): boolean => {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b
  const keys = Object.keys(a)
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) &&
        deepEqual(
          (a as Readonly<Record<string, unknown>>)[key],
          (b as Readonly<Record<string, unknown>>)[key]
        )
    )
  )
}

/** The key of an exact number's text. It begins with a Unicode noncharacter; a request that contains this key is rejected. */
export const exactNumberKey = "\ufdd0number"

/** A number with its original text. */
export interface ExactNumber {
  readonly [exactNumberKey]: string
}

/** A number from JSON: a double, or an exact number if its text differs from the double's. */
export type WrittenNumber = number | ExactNumber

/** The number with the given JSON text. */
export const writtenNumber = (text: string): WrittenNumber => {
  const value = Number(text)
  return String(value) === text ? value : { [exactNumberKey]: text }
}

/** Whether a value is an exact number. */
export const isExactNumber = (value: unknown): value is ExactNumber =>
  typeof value === "object" && value !== null && Object.hasOwn(value, exactNumberKey)

/** The text of a number: the original text of an exact number, otherwise the JSON text of the double. */
export const textOfNumber = (value: WrittenNumber): string =>
  typeof value === "number" ? String(value) : value[exactNumberKey]

/** Replaces each exact number in a value by the result of `replace` for its text; returns the same value if there are none. */
export const mapExact = (value: unknown, replace: (text: string) => unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (isExactNumber(value)) return replace(value[exactNumberKey])
  let changed: Record<string, unknown> | Array<unknown> | null = null
  for (const [key, entry] of Object.entries(value)) {
    const mapped = mapExact(entry, replace)
    if (mapped === entry) continue
    changed ??= Array.isArray(value) ? [...(value as Array<unknown>)] : { ...value }
    ;(changed as Record<string, unknown>)[key] = mapped
  }
  return changed ?? value
}

/** Replaces exact numbers in a value by doubles. */
export const withDoubles = (value: unknown): unknown => mapExact(value, Number)

/** Replaces exact numbers in a value by their text, for templates, which show text unchanged. */
export const withNumberTexts = (value: unknown): Json => mapExact(value, (text) => text) as Json

/** `JSON.rawJSON` (ECMAScript "JSON.parse source text access"), which the runtimes provide but the types do not yet. */
const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Prepares a value so that `JSON.stringify` writes each exact number with its original text. */
export const withWrittenNumbers = <A>(value: A): A =>
  mapExact(value, (text) => (jsonNumber.test(text) ? rawJson(text) : null)) as A
