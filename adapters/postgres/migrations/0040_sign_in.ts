/**
 * Adds passkeys, identity providers and the steps of sign-ins between two calls, and to sessions how they were opened and
 * how they get another id.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table users add column passkeys int not null default 0`,
  `alter table sessions
    add column former_hash text,
    add column former_until timestamptz,
    add column must_renew boolean not null default false,
    add column two_factors boolean not null default false,
    add column company_id uuid`,
  `create index sessions_former_hash on sessions (former_hash) where former_hash is not null`,
  `create table passkeys (
    id uuid primary key,
    user_id uuid not null,
    credential_id text not null,
    public_key text not null,
    counter bigint not null,
    transports jsonb not null,
    name text not null,
    last_used_at timestamptz,
    created_at timestamptz not null
  )`,
  `create unique index passkeys_credential on passkeys (credential_id)`,
  `create index passkeys_of_user on passkeys (user_id, created_at, id)`,
  `create table sign_in_steps (
    hash text primary key,
    kind text not null,
    user_id uuid,
    data text not null,
    expires_at timestamptz not null,
    created_at timestamptz not null
  )`,
  `create index sign_in_steps_age on sign_in_steps (expires_at)`,
  `create table identity_providers (
    id uuid primary key,
    company_id uuid,
    name text not null,
    issuer text not null,
    client_id text not null,
    client_secret text not null,
    email_domains jsonb not null,
    default_role text,
    required boolean not null,
    created_at timestamptz not null
  )`,
  `create index identity_providers_listed on identity_providers (company_id, created_at, id)`,
  `create table identities (
    issuer text not null,
    subject text not null,
    user_id uuid not null,
    created_at timestamptz not null,
    primary key (issuer, subject)
  )`,
  `create index identities_of_user on identities (user_id)`
]
