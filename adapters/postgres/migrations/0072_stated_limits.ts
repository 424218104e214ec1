/**
 * Keeps what servers of a lane stated of their limits, and what became of messages a minute ago.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table lanes add column stated jsonb not null default '{}', add column flow jsonb not null default '[]'`,
  `drop index lanes_noted`,
  `create index lanes_noted on lanes (lane)
    where pace is not null or override is not null or marks <> '{}' or stated <> '{}'`
]
