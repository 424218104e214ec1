/**
 * Adds what an email can carry, claims of deliveries, attempts, daily counts, templates, and the keys of domains.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table submissions
    add column content_digest text not null default '',
    add column reply_to jsonb,
    add column headers jsonb not null default '[]',
    add column send_at timestamptz,
    add column template_id uuid,
    add column content_erased_at timestamptz`,
  `alter table submissions alter column content_digest drop default, alter column headers drop default`,
  `create table attachments (
    account_id uuid not null,
    submission_id uuid not null,
    position integer not null,
    filename text not null,
    content_type text not null,
    content_id text,
    content bytea not null,
    primary key (account_id, submission_id, position)
  )`,
  // Mostly compressed already: to compress it again costs time and gains nothing.
  `alter table attachments alter column content set storage external`,
  `alter table deliveries
    add column claims integer not null default 0,
    add column committed_at timestamptz,
    add column opened_at timestamptz,
    add column clicked_at timestamptz`,
  `alter table deliveries alter column claims drop default`,
  `create index submissions_content on submissions (account_id, created_at, id) where content_erased_at is null`,
  `create index deliveries_recipients on deliveries (account_id, created_at, id) where email <> ''`,
  `create table attempts (
    account_id uuid not null,
    delivery_id uuid not null,
    claim integer not null,
    started_at timestamptz not null,
    finished_at timestamptz not null,
    outcome text not null,
    host text,
    tls text,
    replies jsonb not null,
    error text,
    primary key (account_id, delivery_id, claim)
  )`,
  `create table daily_sends (
    account_id uuid not null,
    day date not null,
    sent bigint not null,
    granted bigint not null,
    primary key (account_id, day)
  ) with (fillfactor = 50)`,
  `create index daily_sends_day on daily_sends (day)`,
  `create table templates (
    account_id uuid not null,
    id uuid not null,
    name text not null,
    subject text not null,
    html text,
    compiled_html text,
    text text,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create index templates_newest on templates (account_id, created_at desc, id desc)`,
  `alter table templates add primary key (account_id, id)`,
  `alter table domains
    add column keys jsonb not null default '[]',
    add column failed_checks integer not null default 0,
    add column checked_at timestamptz`,
  `alter table domains alter column keys drop default, alter column failed_checks drop default`
]
