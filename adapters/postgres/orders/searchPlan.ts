/**
 * Which way a search of orders goes. No way is fast for all of them: what is found soon is found by walking from the newest
 * order, one in few of a store's or status's orders by walking those, and all else by an index of parts, which is asked
 * range by range, newest first, until enough is found. None reads much more than it has to when the choice was wrong.
 *
 * @module
 */

/** How the texts are found: by the index of parts, newest first, or newest first in each store and status. */
export type SearchPlan =
  | { readonly way: "Parts"; readonly parts: ReadonlyArray<string>; readonly walked: number }
  | { readonly way: "Newest"; readonly walked: number }
  | { readonly way: "Ranges" }

/** What was seen in a sample of the account's texts. */
export interface SampleCounts {
  /** How many texts the sample has. */
  readonly rows: number
  /** Those that fit the filter and contain the search. */
  readonly found: number
  /** How many contain each part of the search. */
  readonly parts: ReadonlyArray<number>
}

/** What is asked for, and what is known of it. */
export interface SearchFacts {
  /** The parts of the search, as `searchParts` makes them. */
  readonly parts: ReadonlyArray<string>
  /** How many of the newest texts are wanted that fit. */
  readonly wanted: number
  /** How many orders the account has. */
  readonly orders: number
  /** How many have keys marked as those are that fit the filter but for its search. */
  readonly marked: number
  /** How many of those fit it, at most. */
  readonly fitting: number
  /** The newest texts, as many as `newestSampled` when there are. */
  readonly newest: SampleCounts
  /** Texts at even distances in time. */
  readonly spaced: SampleCounts
}

/** How many of the newest texts are sampled. */
export const newestSampled = 200

/** At how many places between the newest and the oldest texts are sampled: a prime, since numbers of orders have periods. */
export const spacedPlaces = 127

/** How many are sampled at each. */
export const sampledAtPlace = 3

/** How many of the newest texts are looked at, at least, before a search goes another way: they take some milliseconds. */
const newestWalked = 10_000

/** How many texts that are walked past take as long as one found by parts. */
const foundCost = 1.5

/** How many texts are walked, for each that is wanted, in a range that has many: about as long as the index takes. */
const rangeWalked = 5

/** So few orders of a filter are looked up each by itself, whatever is looked for in them. */
const fewFitting = 1_000

/** How many texts found by parts take as long as one that is looked up by its order. */
const lookUpCost = 10

/** A part that more texts have than this share costs the index more than looking at what the others find. */
const commonShare = 0.1

const maxQueried = 4

const share = (count: number, rows: number): number => (rows === 0 ? 0 : count / rows)

/** The way that is thought to read the least. */
export const planSearch = (facts: SearchFacts): SearchPlan => {
  const { fitting, marked, newest, parts, spaced, wanted } = facts
  const near = wanted / share(newest.found, newest.rows)
  if (near <= newestWalked) return { way: "Newest", walked: newestWalked }
  // So far behind, the newest alone tell too little.
  const far = Math.max(near, wanted / share(spaced.found, spaced.rows))
  if (far <= wanted * foundCost) return { way: "Newest", walked: Math.ceil(far * foundCost) }
  if (fitting <= fewFitting) return { way: "Ranges" }
  const shares = parts
    .map((part, index) => {
      const count = (newest.parts[index] ?? 0) + (spaced.parts[index] ?? 0)
      return { part, of: share(count, newest.rows + spaced.rows) }
    })
    .toSorted((a, b) => a.of - b.of)
  // Both stop where enough is found, and so in the same share of what they would read.
  if (fitting * lookUpCost < marked * (shares[0]?.of ?? 0)) return { way: "Ranges" }
  const queried = shares.filter(({ of }, index) => index === 0 || (index < maxQueried && of < commonShare))
  return { way: "Parts", parts: queried.map(({ part }) => part), walked: wanted * rangeWalked }
}

/** The way to go on where `Newest` has looked at all it may without finding enough. */
export const planBehindNewest = (facts: SearchFacts): SearchPlan =>
  planSearch({ ...facts, newest: { ...facts.newest, found: 0 } })
