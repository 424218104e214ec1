/**
 * Writes down whose time zone changed while they waited for their local time: it may have passed in the new one. Finds the campaigns
 * of all accounts whose people may wait.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table campaign_recipients add column moved_at timestamptz`,
  `create index campaigns_begun on campaigns (account_id, id) where status in ('Sending', 'Paused')`
]
