/**
 * Finds texts of orders newest first too: a frequent word is soon found often enough.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // Only columns that a change of status leaves as they are, so that it touches no index.
  `create index order_texts_newest on order_texts (account_id, placed_at desc, order_id desc)`
]
