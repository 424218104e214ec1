/**
 * The background jobs that erase data older than its retention period.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { Ids } from "../../kernel/Ids.ts"
import type { Account, Settings } from "../../model/Account.ts"
import { JobQueue, type NewJob } from "../../ports/JobQueue.ts"
import { defineJob, NoPayload } from "../defineJob.ts"

export const dayMillis = 86_400_000

/** Erases data of an account's emails that is due; at most one is pending. */
export const emailRetentionJob = defineJob({ queue: "retention", key: () => "emails", payload: NoPayload })

/** Deletes an account's flow runs that are due; at most one is pending. */
export const runRetentionJob = defineJob({ queue: "retention", key: () => "runs", payload: NoPayload })

/** When a submission made at `now` is first due, epoch milliseconds. */
export const firstDue = (settings: Settings, now: number): number =>
  now + Math.min(settings.retentionDays, settings.recipientRetentionDays) * dayMillis

/** The job to enqueue with a new submission. It is dropped if a job is already pending, which is due no later. */
export const retentionJob = (id: string, { id: accountId, settings }: Account, now: number): NewJob =>
  emailRetentionJob.job({ id, accountId, payload: {}, runAt: firstDue(settings, now) })

/** Whether a change of settings changes when retention is due. */
export const movesRetention = (patch: Partial<Settings>): boolean =>
  patch.retentionDays !== undefined || patch.recipientRetentionDays !== undefined

/** The job to enqueue with new runs. Runs are kept for at least a day; the job then computes when it is due next. */
export const firstRunRetention = (id: string, accountId: string, now: number): NewJob =>
  runRetentionJob.job({ id, accountId, payload: {}, runAt: now + dayMillis })

/** Makes an account's retention jobs due now, in the caller's transaction. Each then computes when it is due next. */
export const makeRetentionWakeup = Effect.gen(function* () {
  const jobs = yield* JobQueue
  const ids = yield* Ids
  return Effect.fnUntraced(function* (accountId: string) {
    const runAt = yield* Clock.currentTimeMillis
    yield* emailRetentionJob.cancel(jobs, accountId, [{}])
    yield* runRetentionJob.cancel(jobs, accountId, [{}])
    yield* jobs.enqueue([
      emailRetentionJob.job({ id: yield* ids.next, accountId, payload: {}, runAt }),
      runRetentionJob.job({ id: yield* ids.next, accountId, payload: {}, runAt })
    ])
  })
})
