/**
 * Adds the visits of deliveries, with how many there were. Of deliveries that were opened or clicked before, that they
 * were, since only visits that a person may have made were recorded.
 *
 * @module
 */

const none = `'{"Human": 0, "Machine": 0, "Unknown": 0}'`

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // Visits are kept in the order they were made, so the first is the oldest: epoch milliseconds, null without any.
  `create table delivery_visits (
    account_id uuid not null,
    delivery_id uuid not null,
    visits jsonb not null,
    opens jsonb not null,
    clicks jsonb not null,
    reader_opened_at timestamptz,
    reader_clicked_at timestamptz,
    oldest_at bigint generated always as ((visits -> 0 ->> 'at')::bigint) stored,
    primary key (account_id, delivery_id)
  )`,
  `create index delivery_visits_oldest on delivery_visits (oldest_at) where oldest_at is not null`,
  `insert into delivery_visits
      (account_id, delivery_id, visits, opens, clicks, reader_opened_at, reader_clicked_at)
    select account_id, id, '[]', ${none}, ${none}, opened_at, clicked_at
    from deliveries where opened_at is not null or clicked_at is not null`
]
