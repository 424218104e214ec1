/**
 * Adds what companies decide for themselves, their deletion, and the access of operators to their personal data.
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
  `create index operator_access_age on operator_access (until)`
]
