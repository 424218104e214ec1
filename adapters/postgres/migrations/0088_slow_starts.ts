/**
 * Keeps what the limit of a lane was before its servers rejected its mail, while it begins again slowly.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [`alter table lanes add column slow_start jsonb`]
