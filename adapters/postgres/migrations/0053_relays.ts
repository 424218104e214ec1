/**
 * Stores relays of the installation and of companies, and the tokens of their reports.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table relays (
    id uuid primary key,
    company_id uuid,
    name text not null,
    kind text not null,
    shown_url text not null,
    secrets text not null,
    streams jsonb not null,
    max_per_second integer,
    daily_limit integer,
    shared boolean not null,
    feedback jsonb not null,
    feedback_secrets jsonb not null,
    state text not null,
    state_reason text,
    words text,
    last_report_at timestamptz,
    created_at timestamptz not null
  )`,
  `create index relays_listed on relays (company_id, created_at, id)`,
  // A token is refused for as long as its signature would be accepted by its age.
  `create table relay_tokens (
    relay_id uuid not null,
    company_id uuid,
    token text not null,
    expires_at timestamptz not null,
    primary key (relay_id, token)
  )`,
  `create index relay_tokens_expiry on relay_tokens (expires_at)`
]
