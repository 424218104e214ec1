/**
 * Stores the addresses that mail leaves from, their pools, and the addresses that processes have.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table sources (
    id uuid primary key,
    address text not null unique,
    name text,
    pool text not null,
    mode text not null,
    is_forced boolean not null,
    reverse jsonb,
    created_at timestamptz not null
  )`,
  `create table source_pools (
    key text collate "C" primary key,
    name text not null,
    overflow text
  )`,
  `alter table nodes add column addresses jsonb not null default '[]'`
]
