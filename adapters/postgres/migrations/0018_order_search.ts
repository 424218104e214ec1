/**
 * Texts of orders are found newest first too: a word that many of them have is soon found often enough.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // Of what a change of status leaves as it is, so that no index is touched by one.
  `create index order_texts_newest on order_texts (account_id, placed_at desc, order_id desc)`
]
