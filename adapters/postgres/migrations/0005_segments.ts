/**
 * Creates segments, and the indexes that their conditions use.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // The collation by which segments compare strings: a server without it (older than PostgreSQL 17) is rejected at
  // start.
  `select lower('A' collate "pg_c_utf8")`,
  `create table segments (
    account_id uuid not null,
    id uuid not null,
    name text not null,
    description text,
    definition jsonb not null,
    created_at timestamptz not null
  )`,
  `create index segments_oldest on segments (account_id, created_at, id)`,
  `alter table segments add primary key (account_id, id)`,
  // Lists show the contacts that are not erased. Read backwards: a contact is mostly added at the end, which keeps
  // the index's pages full.
  `drop index contacts_newest`,
  `create index contacts_listed on contacts (account_id, added_at, id) where erased_at is null`
]
