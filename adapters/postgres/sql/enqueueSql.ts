/**
 * Adds jobs and notifies their queues: the parts of statements that do, for the job queue and for stores that add jobs
 * in one statement with what they belong to.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Queue } from "../../../core/ports/JobQueue.ts"
import type { SubmissionJob } from "../../../core/ports/SubmissionStore.ts"
import { channel, JobNotifier } from "../engine/JobNotifier.ts"

const encoded = (jobs: ReadonlyArray<SubmissionJob>): string =>
  JSON.stringify(
    jobs.map(({ job: { accountId, id, key, payload, queue, runAt }, submissionId }) => ({
      accountId,
      queue,
      id,
      key,
      runAt: new Date(runAt),
      payload,
      submissionId
    }))
  )

/** The parts, over a `SqlClient` and `JobNotifier`. */
export const makeEnqueueSql = Effect.gen(function* () {
  const sql = yield* SqlClient
  const signals = yield* JobNotifier

  return {
    /**
     * Adds the jobs that pass `condition`, which may ask for a job's `"submissionId"`, and answers the queue of each. In
     * one order, so that two transactions never wait for each other; of one key the first.
     */
    insertion: (jobs: ReadonlyArray<SubmissionJob>, condition: Fragment) => sql`
      insert into jobs (account_id, queue, id, key, run_at, due_at, leased, attempts, payload)
      select "accountId", queue, id, key, "runAt", "runAt", false, 0, payload
      from rows from (jsonb_to_recordset(${encoded(jobs)}::jsonb) as (
        "accountId" uuid, queue text, id uuid, key text, "runAt" timestamptz, payload jsonb, "submissionId" uuid))
        with ordinality as r("accountId", queue, id, key, "runAt", payload, "submissionId", n)
      where ${condition}
      order by "accountId", queue, key, n
      on conflict (account_id, queue, key) where not leased and key is not null do nothing
      returning queue`,
    /** Notifies each queue of a common table once, in the same transaction, and answers it. */
    notification: (table: "added" | "enqueued") =>
      sql.literal(
        `select queue, pg_notify('${channel}', queue) from (select distinct queue from ${table}) as q`
      ),
    /** Wakes this process's workers once what added work to those queues is committed. */
    wake: (queues: ReadonlyArray<Queue>) => signals.added(queues)
  }
})
