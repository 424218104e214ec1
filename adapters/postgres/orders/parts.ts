/**
 * The parts of a text, by which an index finds where a search can be: every run of 2, 3 and 4 characters, as a number.
 * The number depends on the account too, so that one index over all accounts finds what is one account's, and needs no
 * extension of the server. Two parts may have one number: what is found is looked at again.
 *
 * @module
 */

const offsetBasis = 0x811c9dc5
const prime = 0x01000193

/** The most characters of a part: few texts have four in a row in common. */
const longest = 4

/** FNV-1a, 32 bits, over the characters' codes. */
const hash = (seed: number, text: string): number => {
  let value = seed
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), prime)
  return value
}

/** The parts of a text that is to be found. */
export const partsOf = (accountId: string, text: string): ReadonlyArray<number> => {
  const seed = hash(offsetBasis, accountId)
  const parts = new Set<number>()
  const characters = Array.from(text)
  for (const size of [2, 3, longest]) {
    for (let at = 0; at + size <= characters.length; at++) {
      parts.add(hash(seed, characters.slice(at, at + size).join("")))
    }
  }
  return [...parts]
}

/**
 * Parts that every text has which contains the search, as few as cover it: the index looks each of them up for whatever
 * the rarest finds. None for a search of one character.
 */
export const partsOfSearch = (accountId: string, search: string): ReadonlyArray<number> => {
  const seed = hash(offsetBasis, accountId)
  const characters = Array.from(search)
  const size = Math.min(longest, characters.length)
  if (size < 2) return []
  const parts = new Set<number>()
  for (let at = 0; at < characters.length; at += size) {
    const from = Math.min(at, characters.length - size)
    parts.add(hash(seed, characters.slice(from, from + size).join("")))
  }
  return [...parts]
}
