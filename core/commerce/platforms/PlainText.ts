/**
 * Converts descriptions from HTML to plain text.
 *
 * @module
 */

/** The maximum number of characters of the result. */
const maxText = 2000

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " "
}

/**
 * Returns a description without markup, on one line; null if it is empty or not a string. Runs in time linear in the length.
 */
export const plainText = (html: unknown): string | null => {
  if (typeof html !== "string") return null
  const text = html
    .slice(0, 20 * maxText)
    .replaceAll(/<[^<>]{0,2000}>/g, " ")
    .replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? " ")
    .replaceAll("\0", "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .toWellFormed()
  return text === "" ? null : text.slice(0, maxText).toWellFormed()
}
