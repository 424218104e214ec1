/**
 * Keeps the first lines of orders.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table orders add column lines jsonb not null default '[]'`
]
