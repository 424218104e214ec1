/**
 * Records which claim a leased job belongs to.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [`alter table jobs add column claim uuid`]
