/**
 * Writes down whose time zone changed while they waited for their local time: it may have passed in the new one.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table campaign_recipients add column moved_at timestamptz`
]
