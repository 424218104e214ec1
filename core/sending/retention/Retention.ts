/**
 * Erases what emails say, and whom they went to, once the account's times of retention are over (decisions 5).
 *
 * @module
 */
import { dayMillis, emailRetentionJob, firstDue } from "../../jobs/definitions/RetentionJobs.ts"
import { Clock, Effect } from "effect"
import type { Settings } from "../../model/Account.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AttemptStore } from "../../ports/AttemptStore.ts"
import { InboxStore } from "../../ports/InboxStore.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { NotificationStore } from "../../ports/NotificationStore.ts"
import { type DeliveryRef, SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"

/** How many are erased in one transaction. */
const pageSize = 500
/** How long an account is worked on before the next has its turn, milliseconds. */
const turn = 5_000
/**
 * The shortest time between two turns of an account: what falls due within it goes together, and what is due and still
 * waits to be sent is not asked for again and again.
 */
const pause = 6 * 3_600_000

/** When an account's retention is next over, epoch milliseconds; null where it keeps nothing. */
const nextDue = (
  { recipientRetentionDays, retentionDays }: Settings,
  oldest: { readonly content: number | null; readonly recipients: number | null }
): number | null => {
  const times = [
    oldest.content === null ? Infinity : oldest.content + retentionDays * dayMillis,
    oldest.recipients === null ? Infinity : oldest.recipients + recipientRetentionDays * dayMillis
  ]
  const next = Math.min(...times)
  return next === Infinity ? null : next
}

/**
 * The handler of the `retention` queue: erases in pages, each a transaction, until nothing is due or the turn is over,
 * then sees to it that it comes again. Repeating it is harmless.
 */
export const makeRetention = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const submissions = yield* SubmissionStore
  const inbox = yield* InboxStore
  const attempts = yield* AttemptStore
  const notifications = yield* NotificationStore
  const jobs = yield* JobQueue
  const transaction = yield* Transaction
  const ids = yield* Ids

  /** Content goes with the inbox copies that hold it, recipients with the replies and notifications that name them. */
  const erasePage = Effect.fnUntraced(function* (accountId: string, settings: Settings, now: number) {
    const before = (days: number) => now - days * dayMillis + 1
    const emptied: ReadonlyArray<DeliveryRef> = yield* submissions.eraseContent(
      accountId,
      before(settings.retentionDays),
      pageSize,
      now
    )
    const nameless: ReadonlyArray<DeliveryRef> = yield* submissions.eraseRecipients(
      accountId,
      before(settings.recipientRetentionDays),
      pageSize
    )
    yield* inbox.erase([...emptied, ...nameless])
    yield* attempts.erase(nameless)
    yield* notifications.erase(
      accountId,
      nameless.map(({ id }) => id)
    )
    return emptied.length + nameless.length
  })

  /** Answers whether all that is due is erased. */
  const eraseDue = Effect.fnUntraced(function* (accountId: string) {
    const until = (yield* Clock.currentTimeMillis) + turn
    while (true) {
      const now = yield* Clock.currentTimeMillis
      // Read anew: the settings may have changed meanwhile.
      const [account] = yield* accounts.find([accountId])
      if (account === undefined) return true
      const erased = yield* retryConflicts(transaction.run(erasePage(accountId, account.settings, now)))
      if (erased === 0 || now >= until) return erased === 0
    }
  })

  /** Completes a job and puts the account's next turn in the place of any that was asked for meanwhile. */
  const finish = Effect.fnUntraced(function* (job: Job, isDone: boolean) {
    // Locked against a change of settings, which asks for a turn of its own.
    const [account] = yield* accounts.lock([job.accountId])
    const now = yield* Clock.currentTimeMillis
    const due =
      account === undefined ? null : nextDue(account.settings, yield* submissions.oldest(job.accountId))
    yield* jobs.complete([job])
    if (account === undefined || due === null) return
    yield* emailRetentionJob.cancel(jobs, job.accountId, [{}])
    // The next submission's job gives way to ours: ours comes no later than that submission is due.
    const at = isDone ? Math.min(Math.max(due, now + pause), firstDue(account.settings, now)) : now
    yield* jobs.enqueue([
      emailRetentionJob.job({ id: yield* ids.next, accountId: job.accountId, payload: {}, runAt: at })
    ])
  })

  return Effect.fn("Retention.run")(function* (given: ReadonlyArray<Job>) {
    for (const job of given) {
      const isDone = yield* eraseDue(job.accountId)
      yield* retryConflicts(transaction.run(finish(job, isDone)))
    }
  })
})
