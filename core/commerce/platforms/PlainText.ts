/**
 * The text of a description that platforms keep as HTML.
 *
 * @module
 */

/** The most characters kept. */
const maxText = 2000

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " "
}

/** A description without its markup, on one line; null where there is none. Linear in the length. */
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
