/**
 * Creates the job queue.
 *
 * A job is due at `due_at`: its `run_at` while it is pending, the end of its lease while it is `leased`. So a job
 * whose lease expired is due without another write. A JSON null as payload is SQL null.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // Rows are short-lived: dead ones are vacuumed early, or scans of due jobs read through them.
  `create table jobs (
    account_id uuid not null,
    queue text not null,
    id uuid not null,
    key text,
    run_at timestamptz not null,
    due_at timestamptz not null,
    leased boolean not null,
    attempts int not null,
    last_error text,
    payload jsonb,
    primary key (account_id, queue, id)
  ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05)`,
  `create unique index jobs_key on jobs (account_id, queue, key) where not leased and key is not null`,
  // The first due jobs of a queue, for statements with `queue || ''`. Those about one account's jobs do not have it,
  // so the planner cannot walk this index through another account's backlog to find them.
  `create index jobs_due on jobs ((queue || ''), due_at, id) include (queue, account_id)`,
  // A queue's accounts in order, and the jobs of each.
  `create index jobs_line on jobs (queue, account_id, due_at, id)`,
  `create table buried_jobs (
    account_id uuid not null,
    queue text not null,
    id uuid not null,
    key text,
    run_at timestamptz not null,
    attempts int not null,
    payload jsonb,
    why text not null,
    buried_at timestamptz not null,
    primary key (account_id, queue, id)
  )`
]
