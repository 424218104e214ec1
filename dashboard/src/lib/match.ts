/**
 * Finds commands by what is typed of their names.
 *
 * @module
 */

const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()

/** How well a text has each typed word, at the beginning of a word or within one; null where it lacks one. Lower is better. */
export const rankOf = (text: string, typed: string): number | null => {
  const name = plain(text)
  let rank = 0
  for (const word of plain(typed).split(/\s+/)) {
    const at = name.indexOf(word)
    if (at === -1) return null
    rank += at === 0 ? 0 : name[at - 1] === " " ? 1 : 2
  }
  return rank
}

/** The entries that match, the best first; equal ones stay in their order. */
export const matching = <A>(
  entries: ReadonlyArray<A>,
  typed: string,
  textOf: (entry: A) => string
): ReadonlyArray<A> =>
  entries
    .flatMap((entry) => {
      const rank = rankOf(textOf(entry), typed)
      return rank === null ? [] : [{ entry, rank }]
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry)
