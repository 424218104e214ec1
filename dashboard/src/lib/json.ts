/**
 * Formats and parses JSON that people read and write.
 *
 * @module
 */

/** JSON indented over several lines. A text that is not JSON, for example because it was truncated, is returned unchanged. */
export const readableJson = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** The object that a text contains as JSON, empty for an empty text; null if it contains no object. */
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
