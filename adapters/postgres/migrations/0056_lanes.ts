/**
 * Stores what lanes have learned, and the shares of them that processes lease.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // Updated every five seconds by each process that sends: no index has what changes then, so an update writes no other page.
  `create table lanes (
    lane text collate "C" primary key,
    width integer not null,
    successes integer not null,
    strikes integer not null,
    suspended_until timestamptz not null,
    proven_until timestamptz not null,
    leases jsonb not null,
    pace jsonb,
    marks jsonb not null,
    override jsonb,
    changed_at timestamptz not null
  ) with (fillfactor = 50)`,
  `create index lanes_noted on lanes (lane) where pace is not null or override is not null or marks <> '{}'`
]
