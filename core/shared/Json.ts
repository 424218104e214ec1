/**
 * JSON values, the equality of plain data, and numbers as they were written: those that a double does not give back, such
 * as `1.10` and `12345678901234567890`. They are plain data, so that they are stored, copied and sent between threads as
 * any JSON value.
 *
 * @module
 */

/** Any JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** Whether two values of plain data are equal, whatever the order of their keys. */
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

/** Begins with a noncharacter of Unicode; a request that has this key itself is rejected. */
export const exactNumberKey = "\ufdd0number"

/** A number as it was written. */
export interface ExactNumber {
  readonly [exactNumberKey]: string
}

/** A number as JSON has it: a double, or as it was written where that differs. */
export type WrittenNumber = number | ExactNumber

/** The number that was written so, in JSON. */
export const writtenNumber = (text: string): WrittenNumber => {
  const value = Number(text)
  return String(value) === text ? value : { [exactNumberKey]: text }
}

/** Whether a value is a number that a double does not give back. */
export const isExactNumber = (value: unknown): value is ExactNumber =>
  typeof value === "object" && value !== null && Object.hasOwn(value, exactNumberKey)

/** The text of a number: as it was written, else as JSON has the double. */
export const textOfNumber = (value: WrittenNumber): string =>
  typeof value === "number" ? String(value) : value[exactNumberKey]

/** A value with each exact number replaced by what `replace` makes of its text; the same value where it has none. */
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

/** A value with doubles instead of exact numbers. */
export const withDoubles = (value: unknown): unknown => mapExact(value, Number)

/** A value with the text of exact numbers, for templates, which show text as it is. */
export const withNumberTexts = (value: unknown): Json => mapExact(value, (text) => text) as Json

/** `JSON.rawJSON` (ECMAScript "JSON.parse source text access"), which the runtimes have and the types do not yet. */
const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A value that `JSON.stringify` writes with each number as it was written. */
export const withWrittenNumbers = <A>(value: A): A =>
  mapExact(value, (text) => (jsonNumber.test(text) ? rawJson(text) : null)) as A
