/**
 * Stores what the daily reports of mail servers count, and which reports were received.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table mail_report_rows (
    id uuid primary key,
    kind text not null,
    domain text not null,
    day timestamptz not null,
    "values" jsonb not null,
    count bigint not null,
    constraint mail_report_rows_values unique (kind, domain, day, "values")
  )`,
  `create index mail_report_rows_list on mail_report_rows (kind, domain, day, id)`,
  `create index mail_report_rows_day on mail_report_rows (kind, day)`,
  `create table mail_report_receipts (
    key text primary key,
    reporter text not null,
    received_at timestamptz not null
  )`,
  `create index mail_report_receipts_reporter on mail_report_receipts (reporter, received_at)`,
  `create index mail_report_receipts_time on mail_report_receipts (received_at)`,
  // Reports name domains, not accounts.
  `create index domains_by_name on domains (domain)`
]
