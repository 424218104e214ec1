/**
 * Indexes opens and clicks by day.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // Emails that were neither opened nor clicked, as all are while they are sent, have no entry.
  `create index deliveries_opened on deliveries (account_id, opened_at) where opened_at is not null`,
  `create index deliveries_clicked on deliveries (account_id, clicked_at) where clicked_at is not null`
]
