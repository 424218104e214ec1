/**
 * Fails deliveries whose jobs failed too often.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { deliveryJob } from "../../jobs/definitions/DeliveryJobs.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { movesThrough, statesAfterBurial } from "./DeliveryRules.ts"
import { refOf } from "./DeliveryDispatch.ts"

/** A function that fails the deliveries of jobs that are buried. */
export const makeFailDeliveries = Effect.gen(function* () {
  const queue = yield* JobQueue
  const submissions = yield* SubmissionStore
  const transaction = yield* Transaction

  const end = Effect.fnUntraced(function* (jobs: ReadonlyArray<Job>) {
    const now = yield* Clock.currentTimeMillis
    const found = yield* submissions.deliveries((yield* deliveryJob.decode(queue, jobs)).map(refOf))
    const steps = found.map((delivery) =>
      movesThrough(delivery, statesAfterBurial(delivery), delivery.attempts, now)
    )
    yield* submissions.move(steps.flatMap((moves) => moves.slice(0, 1)))
    yield* submissions.move(steps.flatMap((moves) => moves.slice(1)))
  })
  return (jobs: ReadonlyArray<Job>) => retryConflicts(transaction.run(end(jobs)))
})
