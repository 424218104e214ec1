/**
 * Stores by which id a relay knows a message, for reports that give nothing else back.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table relay_messages (
    account_id uuid not null,
    delivery_id uuid not null,
    relay_id uuid not null,
    provider_id text not null,
    sent_at timestamptz not null,
    primary key (account_id, delivery_id)
  )`,
  `create index relay_messages_of_relay on relay_messages (relay_id, provider_id)`,
  `create index relay_messages_age on relay_messages (sent_at)`
]
