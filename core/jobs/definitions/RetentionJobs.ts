/**
 * The background jobs that erase what is past its retention.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { Ids } from "../../kernel/Ids.ts"
import type { Account, Settings } from "../../model/Account.ts"
import { JobQueue, type NewJob } from "../../ports/JobQueue.ts"

export const dayMillis = 86_400_000

/** The key of the jobs that erase emails. */
export const emailRetentionKey = "emails"

/** When what is submitted now is first due. */
export const firstDue = (settings: Settings, now: number): number =>
  now + Math.min(settings.retentionDays, settings.recipientRetentionDays) * dayMillis

/** The job that erases what is due in an account; at most one is pending. */
export const emailRetentionJob = (id: string, accountId: string, runAt: number): NewJob => ({
  id,
  accountId,
  queue: "retention",
  key: emailRetentionKey,
  runAt,
  payload: {}
})

/** The job that goes with a new submission; it gives way to one that is pending, which comes no later. */
export const retentionJob = (id: string, { id: accountId, settings }: Account, now: number): NewJob =>
  emailRetentionJob(id, accountId, firstDue(settings, now))

/** Whether a change of settings makes retention due at another time. */
export const movesRetention = (patch: Partial<Settings>): boolean =>
  patch.retentionDays !== undefined || patch.recipientRetentionDays !== undefined

/** The key of the jobs; others of the queue `retention` have other keys. */
export const runRetentionKey = "runs"

/** The job that removes what is due in an account; at most one is pending. */
export const runRetentionJob = (id: string, accountId: string, runAt: number): NewJob => ({
  id,
  accountId,
  queue: "retention",
  key: runRetentionKey,
  runAt,
  payload: {}
})

/** The job that goes with new runs. Nothing is kept for less than a day, and after it the job knows when it is due next. */
export const firstRunRetention = (id: string, accountId: string, now: number): NewJob =>
  runRetentionJob(id, accountId, now + dayMillis)

/** Puts an account's retention jobs to now, in the caller's transaction; each finds out itself when it is due next. */
export const makeRetentionWakeup = Effect.gen(function* () {
  const jobs = yield* JobQueue
  const ids = yield* Ids
  return Effect.fnUntraced(function* (accountId: string) {
    const now = yield* Clock.currentTimeMillis
    yield* jobs.cancel(accountId, "retention", [emailRetentionKey, runRetentionKey])
    yield* jobs.enqueue([
      emailRetentionJob(yield* ids.next, accountId, now),
      runRetentionJob(yield* ids.next, accountId, now)
    ])
  })
})
