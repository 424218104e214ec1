/**
 * Isolates names within sentences. A right-to-left name would otherwise draw the adjacent numbers and signs into its own order.
 *
 * @module
 */

/** The blocks of Hebrew, Arabic and related scripts. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/** A name for use in a sentence. A right-to-left name is enclosed in isolate characters (U+2068, U+2069). */
export const isolated = (name: string): string => (rightToLeft.test(name) ? `\u2068${name}\u2069` : name)

const isolatingIn = (value: unknown): unknown => {
  if (typeof value === "function")
    return (...values: ReadonlyArray<unknown>): unknown =>
      value(...values.map((one) => (typeof one === "string" ? isolated(one) : one)))
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, isolatingIn(one)]))
    : value
}

/** The texts, with functions that isolate the names passed to them. */
export const isolating = <Texts extends object>(texts: Texts): Texts => isolatingIn(texts) as Texts
