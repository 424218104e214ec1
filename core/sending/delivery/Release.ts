/**
 * Releases emails that wait for a verified sender once there may be one, and those beyond the daily cap once there may
 * be room.
 *
 * @module
 */
import { deliveryJob } from "../../jobs/definitions/DeliveryJobs.ts"
import { Clock, Effect } from "effect"
import { JobQueue } from "../../ports/JobQueue.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Delivery } from "../../model/Submission.ts"

/** How many deliveries are released at a time. */
const pageSize = 500

/** What waiting emails are released from. */
const reasons = ["sending.no_verified_sender", "sending.daily_cap"] as const

/** Makes jobs, due now, for all of an account's deliveries that wait for those reasons. Repeating it is harmless. */
export const makeRelease = Effect.gen(function* () {
  const submissions = yield* SubmissionStore
  const jobs = yield* JobQueue
  const transaction = yield* Transaction
  const ids = yield* Ids

  const releaseAll = Effect.fnUntraced(function* (accountId: string, reason: (typeof reasons)[number]) {
    let after: string | null = null
    while (true) {
      const waiting: ReadonlyArray<Delivery> = yield* submissions.waiting(accountId, reason, after, pageSize)
      const last = waiting.at(-1)
      if (last === undefined) return
      const now = yield* Clock.currentTimeMillis
      const newIds = yield* ids.many(waiting.length)
      const due = waiting.map((delivery, index) =>
        deliveryJob.job({ id: newIds[index]!, accountId, payload: { deliveryId: delivery.id }, runAt: now })
      )
      const enqueue = jobs.enqueue(due)
      yield* transaction.run(
        // The jobs of those beyond the cap wait for the next day, in the place of ours.
        reason === "sending.daily_cap"
          ? Effect.andThen(
              deliveryJob.cancel(
                jobs,
                accountId,
                waiting.map((delivery) => ({ deliveryId: delivery.id }))
              ),
              enqueue
            )
          : enqueue
      )
      after = last.id
    }
  })

  return Effect.fn("Release.run")((accountId: string) =>
    Effect.forEach(reasons, (reason) => releaseAll(accountId, reason), { discard: true })
  )
})
