/**
 * Marks the emails that the installation sends to its users.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table submissions add column is_system boolean not null default false`
]
