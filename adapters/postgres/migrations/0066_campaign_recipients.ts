/**
 * Finds the recipients of a campaign by what few of them have in common, and says why content did not render for one.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table campaign_recipients add column render_error jsonb`,
  // Equal entries are stored once for many rows: a few bytes for each recipient.
  `create index campaign_recipients_decided on campaign_recipients (account_id, campaign_id, state, reason)
    where state in ('Skipped', 'HeldOut', 'Cancelled')`,
  `create index campaign_recipients_waiting on campaign_recipients (account_id, campaign_id, reason, due_at)
    where state = 'Pending' and reason is not null`,
  `create index deliveries_campaign_status on deliveries (account_id, campaign_id, status)
    where campaign_id is not null and status in ('Bounced', 'Failed', 'Suppressed', 'Unknown')`,
  `create index deliveries_campaign_unsubscribed on deliveries (account_id, campaign_id)
    where campaign_id is not null and unsubscribed_at is not null`,
  `create index delivery_visits_campaign on delivery_visits (account_id, campaign_id, contact_id)
    where campaign_id is not null`
]
