/**
 * Counts entries by name.
 *
 * @module
 */

/** The number of entries with a name, and the first of them. */
export interface Count<A> {
  readonly name: string
  readonly count: number
  readonly first: A
}

/** The counts, largest first. Equal counts keep the order of their first entries. */
export const countsOf = <A>(
  entries: ReadonlyArray<A>,
  nameOf: (entry: A) => string
): ReadonlyArray<Count<A>> => {
  const counts = new Map<string, Count<A>>()
  for (const entry of entries) {
    const name = nameOf(entry)
    const known = counts.get(name)
    counts.set(name, { name, count: (known?.count ?? 0) + 1, first: known?.first ?? entry })
  }
  return [...counts.values()].toSorted((a, b) => b.count - a.count)
}
