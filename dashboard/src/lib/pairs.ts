/**
 * Names with values, as a person types them in the place of JSON.
 *
 * @module
 */

/** A value as it is typed: a text as it is, unless it would be read as something else. */
export const typedOf = (value: unknown, isText = false): string => {
  if (typeof value !== "string") return JSON.stringify(value ?? null)
  return isText || valueOf(value) === value ? value : JSON.stringify(value)
}

/**
 * The value that was typed: a number, true, false, null, or anything else that is JSON, such as a text in quotes; else a text.
 * `isText` takes everything as a text.
 */
export const valueOf = (typed: string, isText = false): unknown => {
  if (isText) return typed
  try {
    return JSON.parse(typed.trim()) as unknown
  } catch {
    return typed
  }
}
