/**
 * Forgets runs that ended: they tell what somebody did and was sent, so they are kept as long as the recipients of emails
 * are, `recipientRetentionDays` (decisions 5).
 *
 * @module
 */
import { dayMillis, runRetentionJob } from "../../jobs/definitions/RetentionJobs.ts"
import { Clock, Effect } from "effect"
import { AccountStore } from "../../ports/AccountStore.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { RunStore } from "../../ports/RunStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"

/** How many are removed in one transaction. */
const pageSize = 500
/** How long an account is worked on before the next has its turn, milliseconds. */
const turn = 5_000
/** The shortest time between two turns of an account, milliseconds: what falls due within it goes together. */
const pause = 6 * 3_600_000

/**
 * The handler of those jobs: removes in pages, each a transaction, until nothing is due or the turn is over, then sees to
 * it that it comes again while there are runs. Repeating it is harmless.
 */
export const makeRunRetention = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const runs = yield* RunStore
  const jobs = yield* JobQueue
  const transaction = yield* Transaction
  const ids = yield* Ids

  /** Answers whether all that is due is removed. */
  const removeDue = Effect.fnUntraced(function* (accountId: string) {
    const until = (yield* Clock.currentTimeMillis) + turn
    while (true) {
      const now = yield* Clock.currentTimeMillis
      // Read anew: the settings may have changed meanwhile.
      const [account] = yield* accounts.find([accountId])
      if (account === undefined) return true
      const before = now - account.settings.recipientRetentionDays * dayMillis + 1
      const removed = yield* runs.prune(accountId, before, pageSize)
      if (removed < pageSize || now >= until) return removed < pageSize
    }
  })

  /** Completes a job and puts the account's next turn in the place of any that was asked for meanwhile. */
  const finish = Effect.fnUntraced(function* (job: Job, isDone: boolean) {
    // Locked against a change of settings, which asks for a turn of its own.
    const [account] = yield* accounts.lock([job.accountId])
    const now = yield* Clock.currentTimeMillis
    const left = account === undefined ? null : yield* runs.oldest(job.accountId)
    yield* jobs.complete([job])
    if (account === undefined || left === null) return
    yield* runRetentionJob.cancel(jobs, job.accountId, [{}])
    const due = (left.endedAt ?? now) + account.settings.recipientRetentionDays * dayMillis
    const at = isDone ? Math.max(due, now + pause) : now
    yield* jobs.enqueue([
      runRetentionJob.job({ id: yield* ids.next, accountId: job.accountId, payload: {}, runAt: at })
    ])
  })

  return Effect.fn("RunRetention.run")(function* (given: ReadonlyArray<Job>) {
    for (const job of given) {
      const isDone = yield* removeDue(job.accountId)
      yield* retryConflicts(transaction.run(finish(job, isDone)))
    }
  })
})
