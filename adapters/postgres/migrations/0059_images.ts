/**
 * Records uploaded images. Their bytes are objects.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table images (
    account_id uuid not null,
    id uuid not null,
    key text not null,
    name text,
    type text not null,
    width integer not null,
    height integer not null,
    bytes integer not null,
    hash text not null,
    created_at timestamptz not null,
    created_by jsonb,
    primary key (account_id, id),
    constraint images_hash unique (account_id, hash),
    constraint images_key unique (account_id, key)
  )`,
  `create index images_newest on images (account_id, created_at desc, id desc)`
]
