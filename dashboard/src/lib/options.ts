/**
 * Builds the options of a filter or a select field.
 *
 * @module
 */

/** The values with their labels, in the order of the texts. */
export const optionsOf = (
  names: Readonly<Record<string, string>>
): ReadonlyArray<{ readonly value: string; readonly label: string }> =>
  Object.entries(names).map(([value, label]) => ({ value, label }))
