/**
 * Creates the timeline of contacts, and what erasure needs.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table timeline (
    account_id uuid not null,
    id uuid not null,
    contact_id uuid not null,
    name text collate "C" not null,
    occurred_at timestamptz not null,
    properties jsonb not null,
    source text not null
  )`,
  // How often an event happened: for one contact, or for all contacts in the order of their ids.
  `create index timeline_counts on timeline (account_id, name, contact_id, occurred_at)`,
  `create index timeline_newest on timeline (account_id, contact_id, occurred_at desc, id desc)`,
  `alter table timeline add primary key (account_id, id)`,
  `create index contacts_erased on contacts (account_id, address_hash) where address_hash is not null`,
  // Earlier addresses of erased contacts.
  `create table erased_addresses (
    account_id uuid not null,
    hash text not null,
    primary key (account_id, hash)
  )`,
  // An installation that is older than its secret gets one here; 244 random bits.
  `alter table instance add column link_secret text not null
    default replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`,
  `alter table instance alter column link_secret drop default`
]
