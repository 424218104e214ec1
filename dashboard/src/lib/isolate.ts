/**
 * Names within sentences: one from right to left takes the numbers and signs beside it into its own order, unless it is isolated.
 *
 * @module
 */

/** Hebrew, Arabic and their neighbours. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/** A name to be put into a sentence: between the signs of an isolate (U+2068, U+2069) where it is from right to left. */
export const isolated = (name: string): string => (rightToLeft.test(name) ? `\u2068${name}\u2069` : name)

const isolatingIn = (value: unknown): unknown => {
  if (typeof value === "function")
    return (...values: ReadonlyArray<unknown>): unknown =>
      value(...values.map((one) => (typeof one === "string" ? isolated(one) : one)))
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, isolatingIn(one)]))
    : value
}

/** Texts whose sentences isolate the names that they are given. */
export const isolating = <Texts extends object>(texts: Texts): Texts => isolatingIn(texts) as Texts
