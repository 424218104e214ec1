/**
 * Drops the index of subjects that the one by periods replaces.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [`drop index submissions_subject`]
