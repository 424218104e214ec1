/**
 * Creates flows, their versions and calls, their runs, and the run that an email belongs to.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table flows (
    account_id uuid not null,
    id uuid not null,
    name text not null,
    status text not null,
    version integer not null,
    definition jsonb not null,
    starts_on text,
    token_hash text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (account_id, id)
  )`,
  `create index flows_newest on flows (account_id, created_at desc, id desc)`,
  `create index flows_started on flows (account_id, starts_on) where status = 'Published'`,
  `create index flows_token on flows (token_hash) where token_hash is not null`,
  `create table flow_versions (
    account_id uuid not null,
    flow_id uuid not null,
    version integer not null,
    definition jsonb not null,
    primary key (account_id, flow_id, version)
  )`,
  `create table flow_calls (
    account_id uuid not null,
    flow_id uuid not null,
    call_id text not null,
    contact_id uuid,
    at timestamptz not null,
    primary key (account_id, flow_id, call_id)
  )`,
  `create index flow_calls_contact on flow_calls (account_id, contact_id)`,
  // Runs are mostly updated in place: their next step is a job, so no index contains its time.
  `create table flow_runs (
    account_id uuid not null,
    id uuid not null,
    flow_id uuid not null,
    version integer not null,
    contact_id uuid not null,
    status text not null,
    step_id text,
    is_waiting boolean not null,
    due_at timestamptz,
    event jsonb not null,
    pending jsonb not null,
    log jsonb not null,
    started_at timestamptz not null,
    ended_at timestamptz,
    reason text,
    primary key (account_id, id)
  ) with (fillfactor = 80)`,
  `create unique index flow_runs_active on flow_runs (account_id, contact_id, flow_id) where status = 'Active'`,
  `create index flow_runs_contact on flow_runs (account_id, contact_id)`,
  `create index flow_runs_ended on flow_runs (account_id, ended_at) where ended_at is not null`,
  `create index flow_runs_newest on flow_runs (account_id, flow_id, started_at desc, id desc)`,
  `create index flow_runs_status on flow_runs (account_id, flow_id, status, started_at desc, id desc)`,
  `alter table submissions
    add column flow_id uuid,
    add column run_id uuid,
    add column marketing jsonb`,
  `create index submissions_flow on submissions (account_id, flow_id, created_at desc, id desc)
    where flow_id is not null`,
  `create index submissions_run on submissions (account_id, run_id) where run_id is not null`
]
