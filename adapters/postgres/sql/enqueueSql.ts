/**
 * Builds the parts of statements that add jobs and notify their queues. They are used by the job queue, and by stores that
 * add jobs together with the rows that the jobs concern.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { NewJob, Queue } from "../../../core/ports/JobQueue.ts"
import type { SubmissionJob } from "../../../core/ports/SubmissionStore.ts"
import { columnsOf } from "./columns.ts"
import { channel, JobNotifier } from "../engine/JobNotifier.ts"

const columns = columnsOf<NewJob & Pick<SubmissionJob, "submissionId">>({
  accountId: "uuid",
  queue: "text",
  id: "uuid",
  key: "text",
  runAt: "timestamptz",
  payload: "jsonb",
  submissionId: "uuid"
})

/** The parts, over a `SqlClient` and `JobNotifier`. */
export const makeEnqueueSql = Effect.gen(function* () {
  const sql = yield* SqlClient
  const notifier = yield* JobNotifier
  const recordset = sql.literal(columns.recordset)
  const fields = sql.literal(columns.fields)

  return {
    /**
     * Adds the jobs that satisfy `condition`, which may refer to a job's `"submissionId"`, and returns the queue of each. The
     * jobs are sorted, so that two transactions cannot deadlock. Of several jobs with the same key the first is added.
     */
    insertion: (jobs: ReadonlyArray<SubmissionJob>, condition: Fragment) => sql`
      insert into jobs (account_id, queue, id, key, run_at, due_at, leased, attempts, payload)
      select "accountId", queue, id, key, "runAt", "runAt", false, 0, payload
      from rows from (
        json_to_recordset(${columns.encode(jobs.map(({ job, submissionId }) => ({ ...job, submissionId })))}::json)
          as (${recordset})
      ) with ordinality as r(${fields}, n)
      where ${condition}
      order by "accountId", queue, key, n
      on conflict (account_id, queue, key) where not leased and key is not null do nothing
      returning queue`,
    /** Notifies each queue in a common table expression once, in the same transaction, and returns it. */
    notification: (table: "added" | "enqueued") =>
      sql.literal(
        `select queue, pg_notify('${channel}', queue) from (select distinct queue from ${table}) as q`
      ),
    /** Wakes this process's workers after the statement that added jobs to these queues is committed. */
    wake: (queues: ReadonlyArray<Queue>) => notifier.added(queues)
  }
})
