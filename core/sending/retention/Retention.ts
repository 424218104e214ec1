/**
 * Erases the content and the recipients of emails after the account's retention periods
 * (docs/contributing/decisions.md 5).
 *
 * @module
 */
import { contentRemovalJob } from "../../jobs/definitions/ContentJobs.ts"
import { dayMillis, emailRetentionJob, firstDue } from "../../jobs/definitions/RetentionJobs.ts"
import { Clock, Context, Effect, Layer } from "effect"
import type { Settings } from "../../model/Account.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AttemptStore } from "../../ports/AttemptStore.ts"
import { InboxStore } from "../../ports/InboxStore.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { NotificationStore } from "../../ports/NotificationStore.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { VisitStore } from "../../ports/VisitStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"

/** The number of emails erased in one transaction. */
const pageSize = 500
/** The time for which a job works on an account before the next is processed, milliseconds. */
const timeSlice = 5_000
/**
 * The shortest time between two runs for an account, milliseconds. Emails that become due within it are erased together, and
 * due emails that still wait to be sent are not read again and again.
 */
const pause = 6 * 3_600_000

/** When the next email of an account must be erased, epoch milliseconds; null if it has none. */
const nextDue = (
  { recipientRetentionDays, retentionDays }: Settings,
  oldest: { readonly content: number | null; readonly recipients: number | null }
): number | null => {
  const next = Math.min(
    oldest.content === null ? Infinity : oldest.content + retentionDays * dayMillis,
    oldest.recipients === null ? Infinity : oldest.recipients + recipientRetentionDays * dayMillis
  )
  return next === Infinity ? null : next
}

/** Erases emails after their retention periods. */
export class Retention extends Context.Service<Retention>()("svc/sending/Retention", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const submissions = yield* SubmissionStore
    const inbox = yield* InboxStore
    const attempts = yield* AttemptStore
    const visits = yield* VisitStore
    const notifications = yield* NotificationStore
    const jobs = yield* JobQueue
    const atomically = yield* Atomically
    const ids = yield* Ids

    /**
     * Erases content with the inbox copies that contain it, and recipients with the replies and notifications that name them.
     */
    const erasePage = Effect.fnUntraced(function* (accountId: string, settings: Settings, now: number) {
      const before = (days: number) => now - days * dayMillis + 1
      const emptied = yield* submissions.eraseContent(
        accountId,
        before(settings.retentionDays),
        pageSize,
        now
      )
      const nameless = yield* submissions.eraseRecipients(
        accountId,
        before(settings.recipientRetentionDays),
        pageSize
      )
      if (emptied.length > 0) {
        const id = yield* ids.next
        yield* jobs.enqueue([contentRemovalJob.job({ id, accountId, payload: {}, runAt: now })])
      }
      yield* inbox.erase([...emptied, ...nameless])
      yield* attempts.erase(nameless)
      yield* visits.eraseVisits(nameless)
      yield* notifications.erase(
        accountId,
        nameless.map(({ id }) => id)
      )
      return emptied.length + nameless.length
    })

    /** Erases what is due within the time slice. Returns whether all of it is erased. */
    const eraseDue = Effect.fnUntraced(function* (accountId: string) {
      const until = (yield* Clock.currentTimeMillis) + timeSlice
      while (true) {
        const now = yield* Clock.currentTimeMillis
        // The account is read for each page, since its settings may have changed.
        const [account] = yield* accounts.find([accountId])
        if (account === undefined) return true
        const erased = yield* atomically(erasePage(accountId, account.settings, now))
        if (erased === 0 || now >= until) return erased === 0
      }
    })

    /** Completes a job and schedules the account's next run, which replaces a run that was scheduled meanwhile. */
    const finish = Effect.fnUntraced(function* (job: Job, isDone: boolean) {
      // Locked, since a change of settings schedules a run too.
      const [account] = yield* accounts.lock([job.accountId])
      const now = yield* Clock.currentTimeMillis
      const due =
        account === undefined ? null : nextDue(account.settings, yield* submissions.oldest(job.accountId))
      yield* jobs.complete([job])
      if (account === undefined || due === null) return
      yield* emailRetentionJob.cancel(jobs, job.accountId, [{}])
      // If the next submission schedules a job, it is dropped in favour of this one, which is due no later.
      const at = isDone ? Math.min(Math.max(due, now + pause), firstDue(account.settings, now)) : now
      yield* jobs.enqueue([
        emailRetentionJob.job({ id: yield* ids.next, accountId: job.accountId, payload: {}, runAt: at })
      ])
    })

    return {
      /**
       * Handles jobs of the queue `retention`. Erases page by page, each in a transaction, until nothing is due or the time
       * slice has ended, then schedules the next run. Idempotent.
       */
      run: Effect.fn("Retention.run")(function* (given: ReadonlyArray<Job>) {
        for (const job of given) {
          const isDone = yield* eraseDue(job.accountId)
          yield* atomically(finish(job, isDone))
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Retention, Retention.make)
}
