/**
 * Reads and shows JSON that people write and look at.
 *
 * @module
 */

/** JSON over several lines; a text that is none, such as one that was cut, as it is. */
export const readableJson = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** The object that a text is in JSON, empty for an empty text; null where it is none. */
export const objectOf = (text: string): Readonly<Record<string, unknown>> | null => {
  if (text.trim() === "") return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null
  } catch {
    return null
  }
}
