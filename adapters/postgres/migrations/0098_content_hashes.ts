/**
 * Keeps of each email of a campaign what it was when it was sent: 16 bytes of a hash, as the type that takes no more.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [`alter table deliveries add column content_hash uuid`]
