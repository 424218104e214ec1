/**
 * What became of campaigns beside their emails: their approvals, and the orders that are attributed to them.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table campaigns add column approval jsonb`,
  // A conversion is that of a flow or of a campaign.
  `alter table conversions alter column flow_id drop not null, add column campaign_id uuid`,
  `create index conversions_campaign on conversions (account_id, campaign_id) where campaign_id is not null`,
  `alter table delivery_visits add column campaign_id uuid`
]
