/**
 * Words whose search is as hard as possible, by the number of orders that have each and their positions between the newest
 * and the oldest.
 *
 * @module
 */

/** Of so many orders, per million. */
const frequencies: Readonly<Record<string, number>> = {
  a: 1,
  b: 10,
  c: 100,
  d: 1000,
  e: 10_000,
  f: 100_000,
  g: 500_000,
  h: 1_000_000
}

/** How far an order is from where the word begins, in SQL of its number `n` of `count`. */
const positions: Readonly<Record<string, readonly [name: string, rank: (count: number) => string]>> = {
  w: ["newest", (count) => `${count} - n`],
  j: ["oldest", () => `n - 1`],
  y: ["spread", (count) => `(n * 7919::bigint) % ${count}`],
  z: ["newest and oldest", (count) => `2 * least(${count} - n, n - 1)`]
}

const ending = "kvt"

/** The words of the order of number `n`, in SQL, each behind a space. */
export const wordsOf = (count: number): string => {
  const ranks = Object.entries(positions).map(([letter, [, rank]]) => `('${letter}', ${rank(count)})`)
  const most = Object.entries(frequencies).map(
    ([letter, perMillion]) => `('${letter}', ${Math.max(1, (perMillion * count) / 1_000_000)})`
  )
  return `coalesce((
    select string_agg(' ' || p.letter || f.letter || '${ending}', '')
    from (values ${ranks.join(", ")}) as p(letter, rank)
    join (values ${most.join(", ")}) as f(letter, most) on p.rank < f.most and (f.letter <> 'h' or p.letter = 'w')
  ), '')`
}

/** A word, and the orders that have it. */
export interface Word {
  readonly text: string
  readonly position: string
  readonly perMillion: number
}

/** All of them, of that length. */
export const words = (length: number): ReadonlyArray<Word> =>
  Object.entries(positions).flatMap(([letter, [position]]) =>
    Object.entries(frequencies).flatMap(([frequency, perMillion]) =>
      frequency === "h" && letter !== "w"
        ? []
        : [{ text: (letter + frequency + ending).slice(0, length), position, perMillion }]
    )
  )
