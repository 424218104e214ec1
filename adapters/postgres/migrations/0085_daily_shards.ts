/**
 * Counts the emails of an account without a daily limit in several rows, so that concurrent senders do not wait for each other.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table daily_sends add column shard smallint not null default 0, drop constraint daily_sends_pkey,
    add primary key (account_id, day, shard)`
]
