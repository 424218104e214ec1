/**
 * Adds a check whether a node has the secret key that the installation was created with.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [`alter table instance add column secret_check text`]
