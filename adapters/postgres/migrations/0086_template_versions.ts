/**
 * Keeps the version of the template that an email or a campaign was made with.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table submissions add column template_version integer`,
  `alter table campaign_versions add column template_version integer`
]
