/**
 * Orders held deliveries by account, stream and sending domain, so that those of one are released without a look at the others'.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table deliveries add column line text not null default ''`,
  `drop index deliveries_held`,
  `create index deliveries_held on deliveries (lane, account_id, line, id)
    where status = 'Queued' and reason in ('sending.provider_held', 'sending.sender_held')`
]
