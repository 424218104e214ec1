/**
 * Creates contacts and their consent history, submissions and deliveries, suppressed addresses, sending domains, and
 * the sandbox inbox.
 *
 * Every primary key and unique index begins with `account_id`. There are no foreign keys: rows that belong together
 * are written by one statement, and nothing deletes a row that others name. Strings that are looked up compare
 * bytewise.
 *
 * The order in which a table's indexes are created matters: plans are kept, also those made while a table is so small
 * that all its indexes cost the same, and then the planner takes the last one that fits.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table contacts (
    account_id uuid not null,
    id uuid not null,
    store_id uuid,
    external_id text collate "C",
    email text collate "C",
    former_emails jsonb not null default '[]',
    first_name text,
    last_name text,
    phone text,
    city text,
    country_code text,
    language text,
    consent_status text not null,
    consent_source text,
    consent_updated_at timestamptz,
    consent_proof jsonb,
    store_consent_mode text,
    marketing_declared boolean not null default false,
    is_paying_customer boolean not null default false,
    order_count integer not null default 0,
    total_spent numeric not null default 0,
    from_orders boolean not null default false,
    tags jsonb,
    attributes jsonb not null,
    added_at timestamptz not null,
    source_created_at timestamptz,
    last_synced_at timestamptz,
    last_order_at timestamptz,
    last_open_at timestamptz,
    last_click_at timestamptz,
    last_emailed_at timestamptz,
    last_conversion_at timestamptz,
    erased_at timestamptz,
    address_hash text,
    version integer not null
  ) with (fillfactor = 90)`,
  `create index contacts_newest on contacts (account_id, added_at desc, id desc)`,
  `alter table contacts add primary key (account_id, id)`,
  // Erased contacts have neither.
  `create unique index contacts_email on contacts (account_id, email) where email is not null`,
  `create unique index contacts_external_id on contacts (account_id, external_id) where external_id is not null`,
  `create table contact_counts (
    account_id uuid primary key,
    contacts bigint not null
  ) with (fillfactor = 50)`,
  `create table consents (
    account_id uuid not null,
    id uuid not null,
    contact_id uuid not null,
    "from" text,
    "to" text not null,
    basis text,
    proof jsonb,
    source text not null,
    at timestamptz not null
  )`,
  // A contact's history in its order: one index both stores and finds an entry. Read backwards, newest first.
  `alter table consents add primary key (account_id, contact_id, at, id)`,
  `create table submissions (
    account_id uuid not null,
    id uuid not null,
    idempotency_key text collate "C",
    "from" jsonb,
    subject text not null,
    html text,
    text text,
    tags jsonb not null,
    metadata jsonb not null,
    track_opens boolean,
    track_clicks boolean,
    accepted_status text not null,
    accepted_reason text,
    created_at timestamptz not null
  )`,
  `create index submissions_newest on submissions (account_id, created_at desc, id desc)`,
  `alter table submissions add primary key (account_id, id)`,
  `create unique index submissions_idempotency_key on submissions (account_id, idempotency_key)
    where idempotency_key is not null`,
  // created_at is the submission's, so that submissions are listed by their deliveries without a join.
  `create table deliveries (
    account_id uuid not null,
    id uuid not null,
    submission_id uuid not null,
    position integer not null,
    email text collate "C" not null,
    name text,
    kind text not null,
    status text collate "C" not null,
    reason text collate "C",
    attempts integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create index deliveries_submission on deliveries (account_id, submission_id, position)`,
  `create index deliveries_status on deliveries (account_id, status, created_at desc, submission_id desc)`,
  `create index deliveries_email on deliveries (account_id, email, created_at desc, submission_id desc)`,
  `alter table deliveries add primary key (account_id, id)`,
  `create index deliveries_waiting on deliveries (account_id, reason, id)
    where status = 'Queued' and reason is not null`,
  `create table suppressions (
    account_id uuid not null,
    email text collate "C" not null,
    kind text not null,
    created_at timestamptz not null
  )`,
  `create index suppressions_newest on suppressions (account_id, created_at desc, email)`,
  `alter table suppressions add primary key (account_id, email)`,
  `create table domains (
    account_id uuid not null,
    id uuid not null,
    domain text collate "C" not null,
    status text not null,
    records jsonb not null,
    verified_at timestamptz,
    created_at timestamptz not null,
    constraint domains_name unique (account_id, domain)
  )`,
  `alter table domains add primary key (account_id, id)`,
  `create table inbox_messages (
    account_id uuid not null,
    id uuid not null,
    submission_id uuid not null,
    recipient text not null,
    from_email text not null,
    from_name text,
    subject text not null,
    html text,
    text text,
    received_at timestamptz not null,
    raw bytea not null
  )`,
  `create index inbox_messages_newest on inbox_messages (account_id, received_at desc, id desc)`,
  `alter table inbox_messages add primary key (account_id, id)`
]
