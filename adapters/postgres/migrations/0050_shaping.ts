/**
 * Stores which mail is suspended, and the deliveries that are held.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // One row for each lane, account and sending domain, and cause: the latest suspension.
  `create table suspensions (
    key text primary key,
    id uuid not null unique,
    lane text not null,
    account_id uuid,
    sender text,
    cause text not null,
    action text not null,
    rule text not null,
    words text not null,
    remedy text not null,
    minutes integer not null,
    most_minutes integer not null,
    since timestamptz not null,
    until timestamptz not null,
    resolved_at timestamptz,
    probe_until timestamptz,
    refused jsonb not null,
    slowly boolean not null,
    changed_at timestamptz not null
  )`,
  `create index suspensions_changes on suspensions (changed_at, id)`,
  `create index suspensions_times on suspensions (since, id)`,
  `create index suspensions_open on suspensions (until) where resolved_at is null`,
  `create index suspensions_ended on suspensions (resolved_at) where resolved_at is not null`,
  `create index suspensions_account on suspensions (account_id, since, id) where account_id is not null`,
  `alter table deliveries add column lane text, add column held_since timestamptz`,
  `create index deliveries_held on deliveries (lane, id)
    where status = 'Queued' and reason in ('sending.provider_held', 'sending.sender_held')`
]
