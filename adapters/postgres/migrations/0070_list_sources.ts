/**
 * Keeps what lists are filtered by: the provider that an email was last tried at, and who reported an event or suppressed an
 * address. What is older has none of them. Most events are reported by programs, which is null.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table deliveries add column provider text`,
  `create index deliveries_provider on deliveries (account_id, provider, created_at, submission_id) where provider is not null`,
  `alter table suppressions add column source text`,
  `create index suppressions_source on suppressions (account_id, source, created_at, email) where source is not null`,
  `alter table pending_events add column source text not null default 'Api'`,
  `alter table events_all add column source text`,
  `create index events_all_source on events_all (account_id, source, id) where source is not null`
]
