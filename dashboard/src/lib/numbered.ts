/**
 * Gives entries of a list keys, although several may be equal.
 *
 * @module
 */

/** The entries with their indexes as keys, for lists that are drawn as a whole and never reordered. */
export const numbered = <A>(
  items: ReadonlyArray<A>
): ReadonlyArray<{ readonly place: number; readonly item: A }> =>
  items.map((item, place) => ({ place, item }))
