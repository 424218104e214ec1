/**
 * Creates the indexes of the filters and orders of lists.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // A page begins behind a time and an address, which an index finds where both have one direction.
  `drop index suppressions_newest`,
  `create index suppressions_newest on suppressions (account_id, created_at desc, email desc)`,
  `create index suppressions_kind on suppressions (account_id, kind, created_at desc, email desc)`,
  `create index submissions_template on submissions (account_id, template_id, created_at desc, id desc)
    where template_id is not null`,
  `create index submissions_from on submissions
    (account_id, (lower("from"->>'email') collate "C"), created_at desc, id desc) where "from" is not null`,
  `create index deliveries_reason on deliveries (account_id, reason, created_at desc, submission_id desc)
    where reason is not null`,
  `create index deliveries_domain on deliveries
    (account_id, (substring(email from '[^@]*$') collate "C"), created_at desc, submission_id desc)`,
  `create index failed_events_code on failed_events (account_id, code, id desc)`
]
