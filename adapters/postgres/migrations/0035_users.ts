/**
 * Adds the tables of users, their memberships and sessions, and of set-up links. They belong to no account.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table users (
    id uuid primary key,
    email text not null,
    name text,
    language text,
    time_zone text,
    status text not null,
    is_operator boolean not null,
    password_hash text,
    totp_secret text,
    totp_confirmed_at timestamptz,
    totp_step int,
    recovery_codes jsonb not null,
    last_seen_at timestamptz,
    created_at timestamptz not null
  )`,
  `create unique index users_email on users (email)`,
  `create index users_listed on users (created_at, id)`,
  `create table memberships (
    company_id uuid not null,
    user_id uuid not null,
    role text not null,
    live_access boolean not null,
    created_at timestamptz not null,
    primary key (company_id, user_id)
  )`,
  `create index memberships_of_user on memberships (user_id)`,
  `create table sessions (
    id uuid primary key,
    user_id uuid not null,
    hash text not null,
    idle_millis int not null,
    expires_at timestamptz not null,
    confirmed_at timestamptz not null,
    last_used_at timestamptz not null,
    network text not null,
    user_agent text,
    created_at timestamptz not null
  )`,
  `create unique index sessions_hash on sessions (hash)`,
  `create index sessions_of_user on sessions (user_id, created_at, id)`,
  `create index sessions_age on sessions (expires_at)`,
  `create table setup_links (
    hash text primary key,
    kind text not null,
    user_id uuid,
    email text,
    company_id uuid,
    expires_at timestamptz not null,
    used_at timestamptz,
    created_at timestamptz not null
  )`,
  `create index setup_links_of_user on setup_links (user_id)`,
  `create index setup_links_age on setup_links (expires_at)`
]
