/**
 * Stores the content of emails once in an account, named by its hash, and records what uses it. The content of earlier
 * emails stays in the columns of their rows, and is read there, until retention erases it: nothing is copied, so the
 * migration takes no longer for a large database.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // Content is null where the bytes are outside the database. Named so that a copy of all tables, which goes by name, has
  // contents before their uses.
  `create table contents (
    account_id uuid not null,
    hash bytea not null,
    id uuid not null,
    content bytea,
    remove_after timestamptz,
    primary key (account_id, hash)
  )`,
  `create index contents_removal on contents (account_id, remove_after) where remove_after is not null`,
  // The reference makes a new use and the removal of the content exclude each other.
  `create table contents_uses (
    account_id uuid not null,
    hash bytea not null,
    submission_id uuid not null,
    primary key (account_id, hash, submission_id),
    constraint contents_uses_content foreign key (account_id, hash) references contents
  )`,
  `alter table submissions
    add column bodies_hash bytea,
    add column html_bytes integer,
    add column text_bytes integer`,
  `alter table attachments
    alter column content drop not null,
    add column hash bytea,
    add column size integer`
]
