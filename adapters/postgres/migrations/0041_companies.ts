/**
 * Adds what companies decide for themselves, their deletion, the access of operators to their personal data,
 * the seals of audit logs, and the name that a company gave each person it invited.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table companies
    add column require_two_factors boolean not null default false,
    add column audit_retention_days int not null default 400,
    add column brand jsonb not null default '{}',
    add column deleted_at timestamptz`,
  // Beside the settings, so that the authentication of a key reads one row of the account.
  `alter table accounts add column deleted_at timestamptz`,
  `create table operator_access (
    company_id uuid not null,
    user_id uuid not null,
    reason text not null,
    opened_at timestamptz not null,
    until timestamptz not null,
    primary key (user_id, company_id)
  )`,
  `create index operator_access_age on operator_access (until)`,
  // What an entry held before a person was erased, so that the seal of its day still matches.
  `alter table audit_log add column content_digest text`,
  `create index audit_log_target on audit_log (account_id, target)`,
  `create table audit_seals (
    company_id uuid not null,
    day text collate "C" not null,
    entries int not null,
    previous text not null,
    hash text not null,
    pruned text,
    primary key (company_id, day)
  )`,
  // Of a member who has not signed in since, a company sees the name that it gave alone.
  `alter table memberships add column invited_name text, add column accepted_at timestamptz`,
  `update memberships set accepted_at = created_at`
]
