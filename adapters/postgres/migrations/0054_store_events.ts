/**
 * Shows what connected stores sent: the name of each event, and events that were not accepted, with the reason and what is
 * needed to replay them.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table store_events
    add column name text,
    add column status text collate "C" not null default 'Accepted',
    add column code text,
    add column field text,
    add column given text,
    add column is_kept boolean not null default false,
    add column people text[]`,
  `create index store_events_newest on store_events (account_id, store_id, received_at desc, event_id desc)`,
  `create index store_events_status on store_events (
    account_id, store_id, status, received_at desc, event_id desc
  )`,
  // Whose data an event has that was not accepted: it is erased with theirs.
  `create index store_events_people on store_events using gin (people) where people is not null`
]
