/**
 * Indexes the runs of a flow by the step that comes next or waits.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create index flow_runs_step on flow_runs (account_id, flow_id, step_id, started_at desc, id desc)
    where step_id is not null`
]
