/**
 * Keeps how many contacts each segment had on each day.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table segment_sizes (
    account_id uuid not null,
    day timestamptz not null,
    segment_id uuid not null,
    count integer not null,
    sendable_count integer not null,
    primary key (account_id, day, segment_id)
  )`,
  `create index segment_sizes_day on segment_sizes (day)`
]
