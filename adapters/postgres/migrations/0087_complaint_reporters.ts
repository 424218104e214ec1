/**
 * Finds the providers that report complaints.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create index standing_buckets_complaints on standing_buckets (provider, start)
    where span = 'Day' and complained > 0`
]
