/**
 * What tells whether a node has the secret key the store was set up with.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [`alter table instance add column secret_check text`]
