/**
 * Keeps what servers of a lane stated of their limits.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table lanes add column stated jsonb not null default '{}'`,
  `drop index lanes_noted`,
  `create index lanes_noted on lanes (lane)
    where pace is not null or override is not null or marks <> '{}' or stated <> '{}'`
]
