/**
 * Stores what shows how a relay does: its last refusal of the account, and every message that it accepted, also where its reply
 * stated no id.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table relays add column last_refusal jsonb`,
  `alter table relay_messages alter column provider_id drop not null`,
  `create index relay_messages_latest on relay_messages (relay_id, sent_at)`
]
