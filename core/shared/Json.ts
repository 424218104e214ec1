/**
 * JSON values, and the equality of plain data.
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
