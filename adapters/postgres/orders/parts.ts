/**
 * The parts of a text, by which an index finds where a search can be: every run of 4 characters, and the shorter ones at
 * its end (migration 14, svc_order_parts). Each is marked with the account.
 *
 * @module
 */

/** The characters of a part: few texts have so many in a row in common. */
const partLength = 4

/** The most parts of a search that are thought of. */
const maxParts = 8

/** Runs of characters that every text has which contains the search: all of it, or pieces that cover or span it. */
export const searchParts = (search: string): ReadonlyArray<string> => {
  const characters = Array.from(search)
  const { length } = characters
  if (length <= partLength) return [search]
  // As few as cover it, or evenly over a long one.
  const count = Math.min(maxParts, Math.ceil(length / partLength))
  const places = Array.from({ length: count }, (_, index) =>
    Math.round((index * (length - partLength)) / (count - 1))
  )
  return [...new Set(places.map((from) => characters.slice(from, from + partLength).join("")))]
}

/** The `tsquery` of the texts that have all those parts. A part that is shorter is the beginning of what is indexed. */
export const partsQuery = (accountId: string, parts: ReadonlyArray<string>): string =>
  parts
    .map((part) => {
      const quoted = `'${(accountId.slice(-8) + part).replaceAll(/['\\]/g, "$&$&")}'`
      return Array.from(part).length < partLength ? `${quoted}:*` : quoted
    })
    .join(" & ")
