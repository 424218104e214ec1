/**
 * Orders the emails of a campaign that may still leave by their attempts: those that were not attempted yet are few, and are counted
 * while the campaign is sent.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `drop index deliveries_campaign`,
  `create index deliveries_campaign on deliveries (account_id, campaign_id, attempts, id)
    where campaign_id is not null and status in ('Queued', 'PendingReview', 'HandingOff')`
]
