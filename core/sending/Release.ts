/**
 * Releases emails that wait for a verified sender, once there may be one.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { JobQueue, type NewJob } from "../ports/JobQueue.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import { Transaction } from "../ports/Transaction.ts"
import { Ids } from "../shared/Ids.ts"
import type { Delivery } from "./Submission.ts"

/** How many deliveries are released at a time. */
const pageSize = 500

/** The job that releases an account's waiting emails; at most one is pending. */
export const releaseJob = (id: string, accountId: string, now: number): NewJob => ({
  id,
  accountId,
  queue: "domains",
  key: "release",
  runAt: now,
  payload: { kind: "release" }
})

/** The job that takes one delivery to its transport; at most one is pending for each. */
export const deliveryJob = (id: string, accountId: string, deliveryId: string, runAt: number): NewJob => ({
  id,
  accountId,
  queue: "deliveries",
  key: deliveryId,
  runAt,
  payload: { deliveryId }
})

/** Makes jobs for all of an account's deliveries that wait for a verified sender. Repeating it is harmless. */
export const makeRelease = Effect.gen(function* () {
  const submissions = yield* SubmissionStore
  const jobs = yield* JobQueue
  const transaction = yield* Transaction
  const ids = yield* Ids
  return Effect.fn("Release.run")(function* (accountId: string) {
    let after: string | null = null
    while (true) {
      const waiting: ReadonlyArray<Delivery> = yield* submissions.waiting(
        accountId,
        "sending.no_verified_sender",
        after,
        pageSize
      )
      const last = waiting.at(-1)
      if (last === undefined) return
      const now = yield* Clock.currentTimeMillis
      const newIds = yield* ids.many(waiting.length)
      yield* transaction.run(
        jobs.enqueue(
          waiting.map((delivery, index) => deliveryJob(newIds[index]!, accountId, delivery.id, now))
        )
      )
      after = last.id
    }
  })
})
