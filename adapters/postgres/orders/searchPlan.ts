/**
 * Chooses how a search of orders runs. No way is fast for all searches. Frequent matches are found by walking from the newest
 * order, and matches among few orders of a store or status by walking those. All others are found with an index of parts,
 * range by range, newest first, until there are enough. If the choice was wrong, none reads much more than necessary.
 *
 * @module
 */

/** How texts are found: with the index of parts, newest first, or newest first in each store and status. */
export type SearchPlan =
  | { readonly way: "Parts"; readonly parts: ReadonlyArray<string>; readonly walked: number }
  | { readonly way: "Newest"; readonly walked: number }
  | { readonly way: "Ranges" }

/** The counts of a sample of the account's texts. */
export interface SampleCounts {
  /** The number of texts in the sample. */
  readonly rows: number
  /** How many match the filter and contain the search. */
  readonly found: number
  /** How many contain each part of the search. */
  readonly parts: ReadonlyArray<number>
}

/** The search, and the facts about its account. */
export interface SearchFacts {
  /** The parts of the search, as `searchParts` makes them. */
  readonly parts: ReadonlyArray<string>
  /** How many of the newest matching texts are needed. */
  readonly wanted: number
  /** The number of the account's orders. */
  readonly orders: number
  /** How many orders have keys with the prefixes of the filter, without its search. */
  readonly marked: number
  /** How many of those match the filter, at most. */
  readonly fitting: number
  /** The newest texts, up to `newestSampled`. */
  readonly newest: SampleCounts
  /** Texts at even intervals in time. */
  readonly spaced: SampleCounts
}

/** The number of the newest texts in the sample. */
export const newestSampled = 200

/**
 * The number of positions in time, between the newest and the oldest order, at which texts are sampled. It is a prime number,
 * because order numbers have periods.
 */
export const spacedPlaces = 127

/** The number of texts sampled at each position. */
export const sampledAtPlace = 3

/** How many texts can be walked in the time of finding one by parts. */
const foundCost = 1.5

/** How many texts are walked for each needed one, in a range with many. This takes about as long as the index. */
const rangeWalked = 5

/** Up to this many orders of a filter are looked up one by one, whatever the search. */
const fewFitting = 1_000

/** How many texts can be found by parts in the time of looking up one by its order. */
const lookUpCost = 10

/** If a larger share of texts contains a part, using it in the index costs more than checking what the other parts find. */
const commonShare = 0.1

const maxQueried = 4

const share = (count: number, rows: number): number => (rows === 0 ? 0 : count / rows)

/** Returns the way that is expected to read the least. */
export const planSearch = (facts: SearchFacts): SearchPlan => {
  const { fitting, marked, newest, parts, spaced, wanted } = facts
  const near = wanted / share(newest.found, newest.rows)
  // This far from the newest order, the newest texts alone are not a representative sample.
  const far = Math.max(near, wanted / share(spaced.found, spaced.rows))
  if (far <= wanted * foundCost) return { way: "Newest", walked: Math.ceil(far * foundCost) }
  if (fitting <= fewFitting) return { way: "Ranges" }
  const shares = parts
    .map((part, index) => {
      const count = (newest.parts[index] ?? 0) + (spaced.parts[index] ?? 0)
      return { part, of: share(count, newest.rows + spaced.rows) }
    })
    .toSorted((a, b) => a.of - b.of)
  // Both stop when there are enough matches, so both read the same share of what they could read.
  if (fitting * lookUpCost < marked * (shares[0]?.of ?? 0)) return { way: "Ranges" }
  const queried = shares.filter(({ of }, index) => index === 0 || (index < maxQueried && of < commonShare))
  return { way: "Parts", parts: queried.map(({ part }) => part), walked: wanted * rangeWalked }
}

/** Returns how to continue if `Newest` walked all that it may without finding enough. */
export const planBehindNewest = (facts: SearchFacts): SearchPlan =>
  planSearch({ ...facts, newest: { ...facts.newest, found: 0 } })
