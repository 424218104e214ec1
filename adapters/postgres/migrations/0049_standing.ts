/**
 * Stores the language of emails whose html becomes a whole document with a text part, and what the standing of accounts is
 * judged by.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // Null for the emails of before, which are sent as they were accepted.
  `alter table submissions add column language text`,
  // The results of messages by hour and by day.
  `create table standing_buckets (
    account_id uuid not null,
    span text not null,
    start timestamptz not null,
    stream text not null,
    domain text not null,
    provider text not null,
    handed integer not null,
    delivered integer not null,
    deferred integer not null,
    policy integer not null,
    bounced integer not null,
    mailbox_full integer not null,
    complained integer not null,
    primary key (account_id, span, start, stream, domain, provider)
  ) with (fillfactor = 70)`,
  `create index standing_buckets_age on standing_buckets (span, start)`,
  `create table standing_observations (
    account_id uuid not null,
    provider text not null,
    domain text not null,
    day text not null,
    spam_rate double precision not null,
    primary key (account_id, provider, domain, day)
  )`,
  // Accounts whose standing was ever anything but good.
  `create table standings (
    account_id uuid primary key,
    state text not null,
    reasons jsonb not null,
    held_at timestamptz,
    held_until timestamptz,
    lifted_at timestamptz,
    ramp_day integer,
    ramp_sent integer not null default 0,
    ramp_granted integer not null default 0
  )`,
  `create index standings_open on standings (state) where state <> 'Good'`
]
