/**
 * The campaigns whose approval is requested, which the first screen of the dashboard shows.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create index campaigns_requested on campaigns (account_id, created_at desc, id desc)
    where approval ->> 'state' = 'Requested' and status in ('Draft', 'Paused')`
]
