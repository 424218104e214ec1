/**
 * Releases emails that wait: for a verified sender once there may be one, for the daily cap once there may be room, for the end of
 * a hold of marketing.
 *
 * @module
 */
import { deliveryJob } from "../../jobs/definitions/DeliveryJobs.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { JobQueue } from "../../ports/JobQueue.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Delivery } from "../../model/Submission.ts"

/** How many deliveries are released in one transaction. */
const pageSize = 500

/** The reasons of waiting deliveries that are released. */
const reasons = ["sending.no_verified_sender", "sending.daily_cap", "sending.standing_held"] as const

/** Releases emails that wait. */
export class Release extends Context.Service<Release>()("svc/sending/Release", {
  make: Effect.gen(function* () {
    const submissions = yield* SubmissionStore
    const jobs = yield* JobQueue
    // Not `atomically`: each page is a transaction, and the caller repeats the whole.
    const transaction = yield* Transaction
    const ids = yield* Ids

    const releaseAll = Effect.fnUntraced(function* (accountId: string, reason: (typeof reasons)[number]) {
      let after: string | null = null
      while (true) {
        const waiting: ReadonlyArray<Delivery> = yield* submissions.waiting(
          accountId,
          reason,
          after,
          pageSize
        )
        const last = waiting.at(-1)
        if (last === undefined) return
        const now = yield* Clock.currentTimeMillis
        const newIds = yield* ids.many(waiting.length)
        const enqueue = jobs.enqueue(
          waiting.map((delivery, index) =>
            deliveryJob.job({
              id: newIds[index]!,
              accountId,
              payload: { deliveryId: delivery.id },
              runAt: now
            })
          )
        )
        // Deliveries beyond the cap, and those held, have jobs that are due later; the new jobs replace them.
        const cancel = deliveryJob.cancel(
          jobs,
          accountId,
          waiting.map((delivery) => ({ deliveryId: delivery.id }))
        )
        yield* transaction.run(
          reason === "sending.no_verified_sender" ? enqueue : Effect.andThen(cancel, enqueue)
        )
        after = last.id
      }
    })

    return {
      /**
       * Makes jobs, due now, for all of an account's deliveries that wait for a verified sender, for the daily cap or for the end of a
       * hold.
       * Repeating it is harmless.
       */
      run: Effect.fn("Release.run")((accountId: string) =>
        Effect.forEach(reasons, (reason) => releaseAll(accountId, reason), { discard: true })
      )
    }
  })
}) {
  static readonly layer = Layer.effect(Release, Release.make)
}
