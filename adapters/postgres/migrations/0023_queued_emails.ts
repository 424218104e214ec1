/**
 * Counts of the emails that wait to be sent, by account, for the bound on a queue: without it each call would have to
 * count them.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // `counted_at` is epoch milliseconds: it is only compared.
  `create table queued_emails (
    account_id uuid primary key,
    most bigint not null,
    waiting bigint not null,
    granted bigint not null,
    counted_at bigint not null
  )`
]
