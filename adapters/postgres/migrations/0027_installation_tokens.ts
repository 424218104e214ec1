/**
 * Adds the table of installation tokens. The index is unique by the hash alone, since a token belongs to no account.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table installation_tokens (
    id uuid primary key,
    name text not null,
    hash text not null,
    display text not null,
    rights text[] not null,
    expires_at timestamptz,
    last_used_at timestamptz,
    last_used_network text,
    revoked_at timestamptz,
    created_at timestamptz not null
  )`,
  `create unique index installation_tokens_hash on installation_tokens (hash)`,
  // An installation of an earlier version may have a short management token, which is accepted for a while.
  `alter table instance add column short_token_until timestamptz`,
  `update instance set short_token_until = now() + interval '30 days'`,
  // Old entries and jobs are found by their age alone.
  `create index audit_log_age on audit_log (at)`,
  `create index buried_jobs_age on buried_jobs (buried_at)`
]
