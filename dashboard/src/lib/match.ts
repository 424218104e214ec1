/**
 * Matches commands by the words typed.
 *
 * @module
 */

const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()

/**
 * How well a text matches: each typed word must be found at the beginning of a word or within one. Lower is better; null for no
 * match.
 */
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

/** The entries that match, the best first. Equally good entries keep their order. */
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
