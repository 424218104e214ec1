/**
 * Stores the warm-up of sources, and what each source sent by day.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  "alter table sources add column warm_up jsonb",
  `create table source_days (
    day text collate "C" not null,
    source_id uuid not null,
    bucket text collate "C" not null,
    sent integer not null,
    deferred integer not null,
    policy integer not null,
    bounced integer not null,
    complained integer not null,
    taken integer not null,
    hour integer not null,
    hour_taken integer not null,
    minute integer not null,
    minute_taken integer not null,
    primary key (day, source_id, bucket)
  )`
]
