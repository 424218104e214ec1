/**
 * Creates webhooks, their notifications, and the log of attempts.
 *
 * A notification can be claimed at `due_at`: the time of its next attempt (`run_at`), or the end of a claim.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table webhooks (
    account_id uuid not null,
    id uuid not null,
    url text not null,
    events text[] not null,
    description text,
    secrets jsonb not null,
    status text not null,
    stopped_reason text,
    failures_in_a_row integer not null,
    created_at timestamptz not null,
    primary key (account_id, id)
  )`,
  `create index webhooks_newest on webhooks (account_id, created_at desc, id desc)`,
  // Rows change a few times and then never again.
  `create table notifications (
    account_id uuid not null,
    id uuid not null,
    webhook_id uuid not null,
    type text not null,
    delivery_id uuid,
    body text not null,
    state text not null,
    attempts integer not null,
    claims integer not null,
    run_at timestamptz not null,
    due_at timestamptz not null,
    created_at timestamptz not null,
    primary key (account_id, id)
  ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`,
  // Each event at most once per email and webhook.
  `create unique index notifications_event on notifications (account_id, delivery_id, type, webhook_id)
    where delivery_id is not null`,
  `create index notifications_line on notifications (account_id, webhook_id, due_at, id) where state = 'Pending'`,
  `create index notifications_unattempted on notifications (account_id, webhook_id, created_at, id)
    where attempts = 0`,
  `create index notifications_age on notifications (created_at) where body <> ''`,
  `create table webhook_attempts (
    account_id uuid not null,
    notification_id uuid not null,
    attempt integer not null,
    webhook_id uuid not null,
    at timestamptz not null,
    http_status integer,
    error text,
    duration_ms integer not null,
    answer text,
    primary key (account_id, notification_id, attempt)
  )`,
  `create index webhook_attempts_newest on webhook_attempts (account_id, webhook_id, at, notification_id, attempt)`
]
