/**
 * Stores a 16-byte hash of each email of a campaign as it was sent. The type `uuid` takes exactly 16 bytes.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [`alter table deliveries add column content_hash uuid`]
