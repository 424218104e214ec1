/**
 * Creates the jobs that people start on many contacts at once, with the rows of their reports, and the views that people
 * save of lists.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table bulk_jobs (
    account_id uuid not null,
    id uuid not null,
    kind text not null,
    state text not null,
    work jsonb,
    position jsonb,
    done integer not null,
    failed integer not null,
    items integer,
    rows integer not null,
    created_by jsonb not null,
    created_at timestamptz not null,
    finished_at timestamptz,
    version integer not null
  ) with (fillfactor = 50)`,
  `create index bulk_jobs_newest on bulk_jobs (account_id, created_at desc, id desc)`,
  `create index bulk_jobs_state on bulk_jobs (account_id, state, created_at desc, id desc)`,
  `create index bulk_jobs_kind on bulk_jobs (account_id, kind, created_at desc, id desc)`,
  `alter table bulk_jobs add primary key (account_id, id)`,
  `create table bulk_job_rows (
    account_id uuid not null,
    job_id uuid not null,
    place integer not null,
    contact_id uuid not null,
    content text not null,
    primary key (account_id, job_id, place)
  )`,
  `create index bulk_job_rows_contact on bulk_job_rows (account_id, contact_id)`,
  `create table saved_views (
    account_id uuid not null,
    id uuid not null,
    owner text collate "C" not null,
    name text not null,
    list text not null,
    query jsonb not null,
    columns jsonb,
    shared boolean not null,
    created_by jsonb not null,
    created_at timestamptz not null,
    primary key (account_id, id)
  )`,
  `create index saved_views_newest on saved_views (account_id, created_at desc, id desc)`
]
