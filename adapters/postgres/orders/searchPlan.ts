/**
 * Chooses how a search of orders runs. No way is fast for all searches: frequent matches are found by walking from
 * the newest order, matches among few orders of a store or status by walking those, and all else by an index of
 * parts, range by range, newest first, until there are enough. None reads much more than necessary when the choice
 * was wrong.
 *
 * @module
 */

/** How the texts are found: by the index of parts, newest first, or newest first in each store and status. */
export type SearchPlan =
  | { readonly way: "Parts"; readonly parts: ReadonlyArray<string>; readonly walked: number }
  | { readonly way: "Newest"; readonly walked: number }
  | { readonly way: "Ranges" }

/** The counts of a sample of the account's texts. */
export interface SampleCounts {
  /** The number of texts in the sample. */
  readonly rows: number
  /** How many fit the filter and contain the search. */
  readonly found: number
  /** How many contain each part of the search. */
  readonly parts: ReadonlyArray<number>
}

/** The search, and what is known about its account. */
export interface SearchFacts {
  /** The parts of the search, as `searchParts` makes them. */
  readonly parts: ReadonlyArray<string>
  /** How many of the newest matching texts are wanted. */
  readonly wanted: number
  /** The number of the account's orders. */
  readonly orders: number
  /** How many have keys with the prefixes of the filter, without its search. */
  readonly marked: number
  /** How many of those fit the filter, at most. */
  readonly fitting: number
  /** The newest texts, up to `newestSampled`. */
  readonly newest: SampleCounts
  /** Texts at even distances in time. */
  readonly spaced: SampleCounts
}

/** The number of the newest texts in the sample. */
export const newestSampled = 200

/**
 * The number of positions in time, between the newest and the oldest, at which texts are sampled: a prime, since
 * order numbers have periods.
 */
export const spacedPlaces = 127

/** The number of texts sampled at each position. */
export const sampledAtPlace = 3

/** How many texts walked take as long as one found by parts. */
const foundCost = 1.5

/** How many texts are walked for each wanted one in a range with many: about as long as the index takes. */
const rangeWalked = 5

/** So few orders of a filter are looked up one by one, whatever the search. */
const fewFitting = 1_000

/** How many texts found by parts take as long as one looked up by its order. */
const lookUpCost = 10

/** A part in a larger share of texts costs the index more than checking what the other parts find. */
const commonShare = 0.1

const maxQueried = 4

const share = (count: number, rows: number): number => (rows === 0 ? 0 : count / rows)

/** The way that is expected to read the least. */
export const planSearch = (facts: SearchFacts): SearchPlan => {
  const { fitting, marked, newest, parts, spaced, wanted } = facts
  const near = wanted / share(newest.found, newest.rows)
  // That far behind, the newest texts alone are no sample.
  const far = Math.max(near, wanted / share(spaced.found, spaced.rows))
  if (far <= wanted * foundCost) return { way: "Newest", walked: Math.ceil(far * foundCost) }
  if (fitting <= fewFitting) return { way: "Ranges" }
  const shares = parts
    .map((part, index) => {
      const count = (newest.parts[index] ?? 0) + (spaced.parts[index] ?? 0)
      return { part, of: share(count, newest.rows + spaced.rows) }
    })
    .toSorted((a, b) => a.of - b.of)
  // Both stop when there are enough, and so after the same share of what they would read.
  if (fitting * lookUpCost < marked * (shares[0]?.of ?? 0)) return { way: "Ranges" }
  const queried = shares.filter(({ of }, index) => index === 0 || (index < maxQueried && of < commonShare))
  return { way: "Parts", parts: queried.map(({ part }) => part), walked: wanted * rangeWalked }
}

/** The way to continue when `Newest` has walked all it may without finding enough. */
export const planBehindNewest = (facts: SearchFacts): SearchPlan =>
  planSearch({ ...facts, newest: { ...facts.newest, found: 0 } })
