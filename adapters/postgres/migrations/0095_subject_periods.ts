/**
 * Finds emails by the beginning of their subject in periods of six hours, so that a search shows the newest ones without
 * sorting all.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create index concurrently submissions_subject_periods on submissions (account_id,
    date_bin('6 hours', created_at, '2000-01-01 00:00Z'), (svc_folded_subject(subject) collate "C")) where subject <> ''`
]
