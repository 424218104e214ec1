/**
 * Creates the tables of the installation: its record, companies, accounts, keys, rate windows, the audit log.
 *
 * Every primary key and unique index begins with `account_id`, so that tables can be partitioned by it. Exceptions:
 * `instance` and `companies` are above accounts; `api_keys_hash`, since a key is looked up before its account is
 * known.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create function svc_conflict(name text) returns boolean language plpgsql as $$
  begin
    raise exception using errcode = 'SV001', message = name;
  end $$`,
  `create table instance (
    only_row boolean primary key default true check (only_row),
    sandbox_account_id uuid not null,
    management_token_hash text not null,
    announced boolean not null
  )`,
  `create table companies (
    id uuid primary key,
    name text not null,
    live_account_id uuid not null,
    sandbox_account_id uuid not null,
    created_at timestamptz not null
  )`,
  `create index companies_newest on companies (created_at desc, id desc)`,
  `create table accounts (
    account_id uuid primary key,
    company_id uuid not null,
    mode text not null,
    name text not null,
    settings jsonb not null,
    created_at timestamptz not null
  )`,
  `create table api_keys (
    account_id uuid not null,
    id uuid not null,
    name text not null,
    hash text not null,
    display text not null,
    permissions text[] not null,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz not null,
    primary key (account_id, id)
  )`,
  `create unique index api_keys_hash on api_keys (hash)`,
  // Counts protect and are not billed: they need no write-ahead log.
  `create unlogged table rate_windows (
    account_id uuid not null,
    subject text not null,
    window_start timestamptz not null,
    hits bigint not null,
    primary key (account_id, subject, window_start)
  ) with (fillfactor = 50)`,
  `create index rate_windows_age on rate_windows (window_start)`,
  `create table audit_log (
    account_id uuid not null,
    id uuid not null,
    at timestamptz not null,
    actor text not null,
    action text not null,
    target text not null,
    before jsonb,
    after jsonb,
    primary key (account_id, id)
  )`,
  `create index audit_log_newest on audit_log (account_id, at desc, id desc)`
]
