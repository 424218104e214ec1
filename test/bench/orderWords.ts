/**
 * Words that are as hard as possible to search for, by how many orders have them and where these orders are between the newest
 * and the oldest.
 *
 * @module
 */

/** The number of orders per million that have a word. */
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

/** SQL for the distance of order `n` of `count` from where the word begins. */
const positions: Readonly<Record<string, readonly [name: string, rank: (count: number) => string]>> = {
  w: ["newest", (count) => `${count} - n`],
  j: ["oldest", () => `n - 1`],
  y: ["spread", (count) => `(n * 7919::bigint) % ${count}`],
  z: ["newest and oldest", (count) => `2 * least(${count} - n, n - 1)`]
}

const ending = "kvt"

/** SQL for the words of order `n`, each preceded by a space. */
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

/** All words with the given length. */
export const words = (length: number): ReadonlyArray<Word> =>
  Object.entries(positions).flatMap(([letter, [position]]) =>
    Object.entries(frequencies).flatMap(([frequency, perMillion]) =>
      frequency === "h" && letter !== "w"
        ? []
        : [{ text: (letter + frequency + ending).slice(0, length), position, perMillion }]
    )
  )
