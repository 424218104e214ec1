/**
 * Deletes ended runs. Because they record what a person did and was sent, they are kept as long as the recipients of emails:
 * `recipientRetentionDays` (docs/contributing/decisions.md 5).
 *
 * @module
 */
import { dayMillis, runRetentionJob } from "../../jobs/definitions/RetentionJobs.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { AccountStore } from "../../ports/AccountStore.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { RunStore } from "../../ports/RunStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"

/** The most runs deleted in one transaction. */
const pageSize = 500
/** How long an account is processed at a time, milliseconds. */
const timeSlice = 5_000
/** The shortest time between two jobs of an account, milliseconds. */
const pause = 6 * 3_600_000

/** Deletes ended runs. */
export class RunRetention extends Context.Service<RunRetention>()("svc/automation/RunRetention", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const runs = yield* RunStore
    const queue = yield* JobQueue
    const ids = yield* Ids
    const atomically = yield* Atomically

    /** Deletes runs that are due; returns whether all are deleted. */
    const deleteDue = Effect.fnUntraced(function* (accountId: string) {
      const until = (yield* Clock.currentTimeMillis) + timeSlice
      while (true) {
        const now = yield* Clock.currentTimeMillis
        // Read again for each page, because the settings may change.
        const [account] = yield* accounts.find([accountId])
        if (account === undefined) return true
        const before = now - account.settings.recipientRetentionDays * dayMillis + 1
        const deleted = yield* runs.prune(accountId, before, pageSize)
        if (deleted < pageSize || now >= until) return deleted < pageSize
      }
    })

    /** Completes a job and enqueues the account's next one, which replaces any job enqueued meanwhile. */
    const finish = Effect.fnUntraced(function* (job: Job, isDone: boolean) {
      // A change of settings also enqueues a job, and also locks the account.
      const [account] = yield* accounts.lock([job.accountId])
      const now = yield* Clock.currentTimeMillis
      const oldest = account === undefined ? null : yield* runs.oldest(job.accountId)
      yield* queue.complete([job])
      if (account === undefined || oldest === null) return
      yield* runRetentionJob.cancel(queue, job.accountId, [{}])
      const due = (oldest.endedAt ?? now) + account.settings.recipientRetentionDays * dayMillis
      const at = isDone ? Math.max(due, now + pause) : now
      const { accountId } = job
      yield* queue.enqueue([runRetentionJob.job({ id: yield* ids.next, accountId, payload: {}, runAt: at })])
    })

    return {
      /**
       * Deletes the runs that are due in the accounts of the jobs, until none is left or the time slice ends. Enqueues the
       * account's next job as long as it has ended runs. Repeating it is harmless.
       */
      run: Effect.fn("RunRetention.run")(function* (jobs: ReadonlyArray<Job>) {
        for (const job of jobs) {
          const isDone = yield* deleteDue(job.accountId)
          yield* atomically(finish(job, isDone))
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(RunRetention, RunRetention.make)
}
