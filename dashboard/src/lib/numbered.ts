/**
 * Tells entries of a list apart that may be equal.
 *
 * @module
 */

/** The entries with their places, for lists that are drawn as a whole and never change their order. */
export const numbered = <A>(
  items: ReadonlyArray<A>
): ReadonlyArray<{ readonly place: number; readonly item: A }> =>
  items.map((item, place) => ({ place, item }))
