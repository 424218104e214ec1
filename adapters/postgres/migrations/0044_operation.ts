/**
 * Counts what runs do at each step of a flow, beginning with the runs that exist, and stores when versions of flows were
 * published, the versions of templates, previews, and the processes of the service.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table flow_versions add column published_at timestamptz`,
  // Several rows for each count, so that transactions do not wait for each other.
  `create table flow_step_counts (
    account_id uuid not null,
    flow_id uuid not null,
    step_id text not null,
    outcome text not null,
    slot integer not null,
    count bigint not null,
    primary key (account_id, flow_id, step_id, outcome, slot)
  ) with (fillfactor = 70)`,
  // Of each run the latest outcome of a step counts, as in core/model/StepCount.ts.
  `insert into flow_step_counts (account_id, flow_id, step_id, outcome, slot, count)
    select account_id, flow_id, step_id,
      case when logged like 'skipped: %' then logged when logged like 'failed: %' then 'failed' else 'passed' end,
      0, count(*)
    from (
      select distinct on (r.account_id, r.id, e.entry ->> 'stepId')
        r.account_id, r.flow_id, e.entry ->> 'stepId' as step_id, e.entry ->> 'outcome' as logged
      from flow_runs r cross join jsonb_array_elements(r.log) with ordinality as e(entry, place)
      order by r.account_id, r.id, e.entry ->> 'stepId', e.place desc
    ) latest
    group by 1, 2, 3, 4
    union all
    select account_id, flow_id, step_id, 'waiting', 0, count(*) from flow_runs
    where status = 'Active' and is_waiting and step_id is not null group by 1, 2, 3`,
  `alter table templates
    add column version integer not null default 1,
    add column format text not null default 'Html',
    add column source text,
    add column preheader text`,
  `create table template_versions (
    account_id uuid not null,
    template_id uuid not null,
    version integer not null,
    saved_at timestamptz not null,
    saved_by jsonb,
    name text not null,
    subject text not null,
    format text not null,
    source text,
    preheader text,
    html text,
    compiled_html text,
    text text,
    primary key (account_id, template_id, version)
  )`,
  `insert into template_versions (
      account_id, template_id, version, saved_at, name, subject, format, html, compiled_html, text
    )
    select account_id, id, version, updated_at, name, subject, format, html, compiled_html, text from templates`,
  // Rendered for a frame that shows them for a few minutes.
  `create table previews (
    account_id uuid not null,
    id uuid not null,
    owner text not null,
    html text not null,
    expires_at timestamptz not null,
    primary key (account_id, id)
  )`,
  `create index previews_owner on previews (account_id, owner, expires_at desc, id desc)`,
  `create index previews_age on previews (expires_at)`,
  // The processes of the service, which report themselves.
  `create table nodes (
    id uuid primary key,
    host text not null,
    version text not null,
    runtime text not null,
    roles jsonb not null,
    started_at timestamptz not null,
    seen_at timestamptz not null,
    event_loop_delay_ms double precision not null,
    memory_bytes bigint not null,
    heap_used_bytes bigint not null,
    heap_limit_bytes bigint not null
  )`,
  // Buried jobs are listed by age, and found by their id alone.
  `create index buried_jobs_line on buried_jobs (queue, buried_at, id)`,
  `create index buried_jobs_account on buried_jobs (queue, account_id, buried_at, id)`,
  `create index buried_jobs_id on buried_jobs (id)`,
  `create index flow_runs_active_version on flow_runs (account_id, flow_id, version) where status = 'Active'`
]
