/**
 * Which way a search of orders goes. No way is fast for all of them: a rare word is found by its parts, a frequent one by
 * walking from the newest order until it was found often enough, and one in few of a store's or status's orders by walking
 * those. A sample of the account's orders tells how frequent it is.
 *
 * @module
 */

/** How the texts are found: by the index of parts, newest first, or newest first in each store and status. */
export type SearchPlan =
  | { readonly way: "Parts"; readonly parts: ReadonlyArray<string> }
  | { readonly way: "Newest" }
  | { readonly way: "Ranges" }

/** What was seen in a sample of the account's texts. */
export interface SampleCounts {
  /** How many texts the sample has. */
  readonly rows: number
  /** Those placed late enough for the filter. */
  readonly late: number
  /** Those that fit the filter but for its search. */
  readonly fitting: number
  /** Those that contain the search. */
  readonly containing: number
  /** Those that do both. */
  readonly found: number
  /** How many contain each part of the search. */
  readonly parts: ReadonlyArray<number>
  /** Of those that contain the search, behind the newest: at which of the `spacedPlaces`, in their order. */
  readonly places: ReadonlyArray<number>
}

/** What is asked for, and what is known of it. */
export interface SearchFacts {
  /** The parts of the search, as `searchParts` makes them. */
  readonly parts: ReadonlyArray<string>
  /** How many of the newest texts are wanted that fit. */
  readonly wanted: number
  /** How many stores times statuses the filter lets through. */
  readonly ranges: number
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

/** How many orders an account is thought to have, unless the sample has all: where they are few, any way is fast. */
const manyOrders = 1_000_000

/**
 * Microseconds for each text that a way reads, measured: one behind the other in time takes the least, looked up each by
 * itself the most. What is found by parts is sorted besides.
 */
const cost = { Parts: 0.5, Sorting: 0.9, Newest: 0.5, Ranges: 5 }

/** A part that more texts have than this share costs the index more than looking at what the others find. */
const commonShare = 0.1

const maxQueried = 4

/** So many texts at even distances tell of all; fewer there are of a small account, or beside an order of a time far off. */
const reliable = 100

/** For so many texts it is presumed that they fit as often as any do. */
const presumed = 10

const share = (count: number, rows: number): number => (rows === 0 ? 0 : count / rows)

const together = (newest: SampleCounts, spaced: SampleCounts): SampleCounts => ({
  rows: newest.rows + spaced.rows,
  late: newest.late + spaced.late,
  fitting: newest.fitting + spaced.fitting,
  containing: newest.containing + spaced.containing,
  found: newest.found + spaced.found,
  parts: newest.parts.map((count, index) => count + (spaced.parts[index] ?? 0)),
  places: spaced.places
})

/** The way that is thought to read the least. */
export const planSearch = ({ newest, parts, ranges, spaced, wanted }: SearchFacts): SearchPlan => {
  const all = newest.rows < newestSampled ? newest.rows : manyOrders
  const sample = spaced.rows < reliable ? together(newest, spaced) : spaced

  const shares = parts
    .map((part, index) => ({ part, of: share(sample.parts[index] ?? 0, sample.rows) }))
    .toSorted((a, b) => a.of - b.of)
  const queried = shares.filter(({ of }, index) => index === 0 || (index < maxQueried && of < commonShare))
  const byParts = all * (shares[0]?.of ?? 0)

  // The newest are one behind the other: when one of them is too old, so is all that is not among them.
  const late = newest.late < newest.rows ? newest.late : all * share(sample.late, sample.rows)
  // They tell how many are found before the next place, and each found behind stands for as many as the sample is of all.
  const near = newest.found === 0 ? Infinity : wanted / share(newest.found, newest.rows)
  const missing = wanted - (all / spacedPlaces) * share(newest.found, newest.rows)
  // Few are found of those that contain the search: how many fit at all tells of the rest.
  const fitting = share(sample.fitting, sample.rows)
  const fit = (sample.found + presumed * fitting) / (sample.containing + presumed)
  const last = sample.places[Math.max(0, Math.ceil((missing * sample.rows) / (all * fit)) - 1)]
  const far = last === undefined ? all : (all * (last + 1)) / spacedPlaces
  const byNewest = Math.min(late, near * spacedPlaces < all ? near : far)

  // Each goes as far back as the newest would have to, if what is looked for were all in it.
  const byRanges = Math.min(all, ranges * byNewest) * fitting

  const [way] = (
    [
      ["Parts", byParts * cost.Parts + all * fit * share(sample.containing, sample.rows) * cost.Sorting],
      ["Newest", byNewest * cost.Newest],
      ["Ranges", byRanges * cost.Ranges]
    ] as const
  ).reduce((least, other) => (other[1] < least[1] ? other : least))
  return way === "Parts" ? { way, parts: queried.map(({ part }) => part) } : { way }
}
