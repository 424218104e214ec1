/**
 * Keeps how long a delivery waited for something other than a recipient's server: that does not count to how long it may be held.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table deliveries add column not_due bigint not null default 0`
]
