/**
 * Counts the clicks of each link of an email, and finds the campaigns of an archive.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table delivery_visits add column links jsonb not null default '{}'`,
  `create unique index campaigns_slug on campaigns (account_id, (definition -> 'archive' ->> 'slug'))
    where definition -> 'archive' ->> 'slug' is not null`,
  `create index campaigns_archive on campaigns (account_id, start_at desc, id desc)
    where status = 'Sent' and definition -> 'archive' ->> 'public' = 'true'`
]
