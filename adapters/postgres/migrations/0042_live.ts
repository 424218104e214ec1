/**
 * Adds who changed flows, templates, segments and settings last. Nodes of the version before keep writing them, so the
 * columns may be null.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table flows add column updated_by jsonb`,
  `alter table templates add column updated_by jsonb`,
  `alter table segments add column updated_at timestamptz, add column updated_by jsonb`,
  `alter table accounts add column settings_updated_at timestamptz, add column settings_updated_by jsonb`
]
