/**
 * Keeps reports of relays that overtook the result of their message, and with the token of a report a digest of it.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table relay_early_reports (
    id uuid primary key,
    relay_id uuid not null,
    kind text not null,
    delivery jsonb,
    provider_id text,
    report jsonb not null,
    kept_at timestamptz not null
  )`,
  `create index relay_early_reports_of_relay on relay_early_reports (relay_id, kept_at)`,
  `create index relay_early_reports_age on relay_early_reports (kept_at)`,
  `alter table relay_tokens add column digest text`
]
