/**
 * Adds the latest changes of accounts that are streamed, and the streams themselves; reports of jobs can have rows that are
 * about no contact.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table live_accounts (
    account_id uuid primary key,
    last bigint not null,
    floor bigint not null,
    since timestamptz not null,
    until timestamptz not null
  )`,
  `create table live_streams (
    account_id uuid not null,
    id uuid not null,
    until timestamptz not null,
    primary key (account_id, id)
  )`,
  `create table live_entries (
    account_id uuid not null,
    number bigint not null,
    topic text not null,
    change text not null,
    item_id uuid not null,
    body text,
    once_key text,
    at timestamptz not null,
    primary key (account_id, number)
  )`,
  `create index live_entries_once_key on live_entries (account_id, once_key) where once_key is not null`,
  `create index live_entries_at on live_entries (at)`,
  `alter table bulk_job_rows alter column contact_id drop not null`
]
