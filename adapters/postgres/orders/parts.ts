/**
 * The parts of a text, by which an index finds where a search can be: every run of 4 characters, and the shorter ones at
 * its end (migration 14, svc_order_parts). Each is marked with the account.
 *
 * @module
 */

/** The characters of a part: few texts have so many in a row in common. */
const partLength = 4

/** The most parts of a search that are thought of. */
const maxParts = 16

/** How a search is looked for. */
export interface PartSearch {
  /** Runs of characters that every text has which contains the search. */
  readonly parts: ReadonlyArray<string>
  /** Each part as a `tsquery`. */
  readonly queries: ReadonlyArray<string>
  /** Whether every text with the parts contains the search: there is one, and it is all of it. */
  readonly isExact: boolean
}

/**
 * How a search is looked for by parts; null for a single character, which is in so many texts that an index would find no
 * fewer.
 */
export const searchParts = (accountId: string, search: string): PartSearch | null => {
  const characters = Array.from(search)
  const { length } = characters
  if (length < 2) return null
  const query = (part: string) => `'${(accountId.slice(-8) + part).replaceAll(/['\\]/g, "$&$&")}'`
  if (length <= partLength) return { parts: [search], queries: [`${query(search)}:*`], isExact: true }
  // As few as cover it, or evenly over a long one.
  const count = Math.min(maxParts, Math.ceil(length / partLength))
  const places = Array.from({ length: count }, (_, index) =>
    Math.round((index * (length - partLength)) / (count - 1))
  )
  const parts = [...new Set(places.map((from) => characters.slice(from, from + partLength).join("")))]
  return { parts, queries: parts.map(query), isExact: false }
}
