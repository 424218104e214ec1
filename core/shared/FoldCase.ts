/**
 * Text without regard to case.
 *
 * @module
 */

/**
 * A text as it is compared where case is ignored: each code point in its lower case by itself, and a final sigma as
 * any other. Context, language and normalization play no part (`İ` is `i`, `ß` is not `ss`, `é` of two code points is
 * not `é` of one), so that it is what PostgreSQL's `replace(lower(text collate "pg_c_utf8"), 'ς', 'σ')` makes.
 */
export const foldCase = (text: string): string => {
  // Only Σ depends on its neighbours, and only İ becomes two code points.
  const plain = text.replaceAll(/[İΣς]/g, (letter) => (letter === "İ" ? "i" : "σ"))
  return plain.toLowerCase()
}
