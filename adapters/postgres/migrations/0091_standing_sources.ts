/**
 * Counts for the standing of accounts also by the address that messages left from, and counts unsubscribes, opens and clicks.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // Empty where the system chose the address: null could not be a part of the key.
  `alter table standing_buckets
    add column source text not null default '',
    add column unsubscribed integer not null default 0,
    add column opened_human integer not null default 0,
    add column opened_machine integer not null default 0,
    add column clicked_human integer not null default 0,
    add column clicked_machine integer not null default 0,
    drop constraint standing_buckets_pkey,
    add primary key (account_id, span, start, stream, domain, provider, source)`
]
