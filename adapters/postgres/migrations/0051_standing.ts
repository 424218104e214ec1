/**
 * Stores the language of emails whose html becomes a whole document with a text part.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // Null for the emails of before, which are sent as they were accepted.
  `alter table submissions add column language text`
]
