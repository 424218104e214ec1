/**
 * Divides the recipients of a campaign by their hash slots, so that several nodes work on it at once.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create index campaign_recipients_part on campaign_recipients (
      account_id, campaign_id, (get_byte(sha256((campaign_id::text || ' ' || contact_id::text)::bytea), 5) & 7), due_at, contact_id
    ) where state = 'Pending'`,
  `drop index campaign_recipients_due`
]
