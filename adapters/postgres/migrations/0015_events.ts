/**
 * Creates the events that customers' systems report.
 *
 * Rows written at the rate of events are written once: the record of an event never changes. While the event waits to
 * be processed it is in `pending_events` too, and when it failed in `failed_events`; in neither, it is on a timeline
 * under its id.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table events (
    account_id uuid not null,
    id uuid not null,
    event_id text collate "C" not null,
    name text collate "C" not null,
    occurred_at timestamptz not null,
    primary key (account_id, id)
  )`,
  `create unique index events_event_id on events (account_id, event_id)`,
  `create index events_name on events (account_id, name, id desc)`,
  // The order in which events were accepted, whichever node's clock made their ids.
  `create sequence events_position`,
  // Rows are short-lived, as jobs are. The contact is the string of its JSON: it may contain what jsonb rejects.
  `create table pending_events (
    account_id uuid not null,
    id uuid not null,
    position bigint not null,
    event_id text not null,
    name text collate "C" not null,
    occurred_at timestamptz not null,
    properties json not null,
    contact text not null,
    contact_id uuid,
    external_id text,
    email text,
    size int not null,
    primary key (account_id, id)
  ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05)`,
  `create index pending_events_line on pending_events (account_id, position)`,
  `create table failed_events (
    account_id uuid not null,
    id uuid not null,
    name text collate "C" not null,
    code text not null,
    contact_id uuid,
    external_id text,
    email text,
    primary key (account_id, id)
  )`,
  `create index failed_events_contact on failed_events (account_id, contact_id) where contact_id is not null`,
  `create index failed_events_external_id on failed_events (account_id, external_id) where external_id is not null`,
  `create index failed_events_email on failed_events (account_id, email) where email is not null`,
  // The transaction that processes an account's events locks its row.
  `create table event_turns (account_id uuid primary key)`
]
