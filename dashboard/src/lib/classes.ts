/**
 * Joins the classes of an element.
 *
 * @module
 */

/** The classes that apply, for `className`. */
export const classes = (...names: ReadonlyArray<string | false | null | undefined>): string =>
  names.filter((name) => typeof name === "string" && name !== "").join(" ")
