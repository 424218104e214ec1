/**
 * The options of a filter or a choice.
 *
 * @module
 */

/** Values with their names, in the order of the texts. */
export const optionsOf = (
  names: Readonly<Record<string, string>>
): ReadonlyArray<{ readonly value: string; readonly label: string }> =>
  Object.entries(names).map(([value, label]) => ({ value, label }))
