/**
 * Deliveries whose turns failed too often.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { Job } from "../../ports/JobQueue.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { movesThrough, statesGivenUp } from "./DeliveryRules.ts"
import { refOf } from "./DeliveryDispatch.ts"

/** A function that ends the deliveries of jobs that are given up on. */
export const makeGiveUp = Effect.gen(function* () {
  const submissions = yield* SubmissionStore
  const transaction = yield* Transaction

  const end = Effect.fnUntraced(function* (jobs: ReadonlyArray<Job>) {
    const now = yield* Clock.currentTimeMillis
    const found = yield* submissions.deliveries(jobs.map(refOf))
    const steps = found.map((delivery) =>
      movesThrough(delivery, statesGivenUp(delivery), delivery.attempts, now)
    )
    yield* submissions.move(steps.flatMap((moves) => moves.slice(0, 1)))
    yield* submissions.move(steps.flatMap((moves) => moves.slice(1)))
  })
  return (jobs: ReadonlyArray<Job>) => retryConflicts(transaction.run(end(jobs)))
})
