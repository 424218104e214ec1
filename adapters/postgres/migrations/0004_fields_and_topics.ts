/**
 * Creates contact fields, topics, and the topic choices of contacts.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // By topic id; a topic without an entry was never chosen.
  `alter table contacts add column topics jsonb not null default '{}'`,
  `create table contact_fields (
    account_id uuid not null,
    key text collate "C" not null,
    label text not null,
    type text not null,
    description text,
    created_from text not null,
    created_at timestamptz not null,
    archived_at timestamptz,
    constraint contact_fields_key primary key (account_id, key)
  )`,
  `create table topics (
    account_id uuid not null,
    id uuid not null,
    key text collate "C" not null,
    name text not null,
    description text,
    default_on boolean not null,
    is_archived boolean not null,
    created_at timestamptz not null,
    constraint topics_key unique (account_id, key)
  )`,
  `alter table topics add primary key (account_id, id)`
]
