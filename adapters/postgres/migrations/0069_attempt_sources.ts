/**
 * Stores the address that each attempt left from.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = ["alter table attempts_all add column source text"]
