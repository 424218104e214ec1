/**
 * Creates imports of contacts: their records, their files in chunks until they are read, and the failed rows.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table imports (
    account_id uuid not null,
    id uuid not null,
    name text,
    status text not null,
    mapping jsonb not null,
    consent jsonb,
    delimiter text not null,
    header jsonb not null,
    size bigint not null,
    position jsonb not null,
    rows jsonb not null,
    failure jsonb,
    created_at timestamptz not null,
    finished_at timestamptz,
    version integer not null
  ) with (fillfactor = 50)`,
  `create index imports_newest on imports (account_id, created_at desc, id desc)`,
  `alter table imports add primary key (account_id, id)`,
  `create table import_chunks (
    account_id uuid not null,
    import_id uuid not null,
    place integer not null,
    bytes bytea not null,
    primary key (account_id, import_id, place)
  )`,
  `create table import_errors (
    account_id uuid not null,
    import_id uuid not null,
    line bigint not null,
    issues jsonb not null,
    email text collate "C",
    external_id text collate "C",
    cells jsonb
  )`,
  `create index import_errors_email on import_errors (account_id, email) where email is not null`,
  `create index import_errors_external_id on import_errors (account_id, external_id) where external_id is not null`,
  `alter table import_errors add primary key (account_id, import_id, line)`
]
