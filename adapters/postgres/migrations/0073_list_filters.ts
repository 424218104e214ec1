/**
 * Gives the filters of the audit log, of running jobs, of users, companies and notices, and of the recipients of a campaign
 * indexes.
 *
 * @module
 */

/** Of entries with a value, by their time. */
const ofAudit = (name: string, value: string, condition = ""): string =>
  `create index audit_log_${name} on audit_log (account_id, ${value} at, id) ${condition}`

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  ofAudit("action", "action,"),
  ofAudit("subject", "(split_part(action, '.', 1)),"),
  ofAudit("actor", "(split_part(actor, ':', 2)),"),
  ofAudit("actor_kind", "(split_part(actor, ':', 1)),"),
  ofAudit("network", "network,", "where network is not null"),
  ofAudit("refused", "", "where outcome = 'Refused'"),
  `drop index audit_log_target`,
  ofAudit("target", "target,"),
  // Few jobs run at a time: only a claim and the end of one write it.
  `create index jobs_running on jobs (queue, due_at, id) where leased`,
  // Equal entries are stored once for many rows: a few bytes for each recipient.
  `create index campaign_recipients_variant on campaign_recipients (account_id, campaign_id, variant)
    where variant is not null`,
  `create index campaign_recipients_version on campaign_recipients (account_id, campaign_id, version)
    where version is not null`,
  `create index users_status on users (status)`,
  `create index memberships_listed on memberships (company_id, created_at, user_id)`,
  `create index companies_deleted on companies (id) where deleted_at is not null`,
  `create index suspensions_lane on suspensions ((split_part(lane, '@', 1)), since, id)`
]
