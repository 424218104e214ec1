/**
 * Pairs of names and values that a person types instead of JSON.
 *
 * @module
 */

/** A value in the form in which it is typed. A string stays as it is, unless it would be read as another type. */
export const typedOf = (value: unknown, isText = false): string => {
  if (typeof value !== "string") return JSON.stringify(value ?? null)
  return isText || valueOf(value) === value ? value : JSON.stringify(value)
}

/**
 * The value of what was typed: a number, a boolean, null or other JSON, such as a quoted string; anything else is a string. With
 * `isText`, everything is a string.
 */
export const valueOf = (typed: string, isText = false): unknown => {
  if (isText) return typed
  try {
    return JSON.parse(typed.trim()) as unknown
  } catch {
    return typed
  }
}
