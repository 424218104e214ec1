/**
 * Takes back what runs that ended would still have done: their turn, and their emails that have not left.
 *
 * @module
 */
import { Effect } from "effect"
import { JobQueue } from "../../ports/JobQueue.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { moveUnclaimed, type Step } from "../../sending/delivery/DeliveryRules.ts"
import type { Delivery } from "../../model/Submission.ts"

/**
 * A function that does it in the caller's transaction, a fixed number of statements: once that commits, no sender gets
 * leave to hand one of those emails over any more. What is past that point is on its way.
 */
export const makeWithdrawal = Effect.gen(function* () {
  const submissions = yield* SubmissionStore
  const queue = yield* JobQueue

  const move = (deliveries: ReadonlyArray<Delivery>, step: Step, at: number) =>
    submissions.move(deliveries.map((delivery) => moveUnclaimed(delivery, step, at)))

  return Effect.fnUntraced(function* (accountId: string, runIds: ReadonlyArray<string>, now: number) {
    if (runIds.length === 0) return
    yield* queue.cancel(accountId, "runs", runIds)
    const unsent = yield* submissions.lockUnsent(accountId, runIds)
    if (unsent.length === 0) return
    const claimed = unsent.filter((delivery) => delivery.status === "HandingOff")
    const returned = claimed.length === 0 ? [] : yield* move(claimed, ["Queued", null], now)
    const queued = [...unsent.filter((delivery) => delivery.status === "Queued"), ...returned]
    const held = queued.length === 0 ? [] : yield* move(queued, ["PendingReview", null], now)
    yield* move(
      [...unsent.filter((delivery) => delivery.status === "PendingReview"), ...held],
      ["Failed", "sending.cancelled"],
      now
    )
    yield* queue.cancel(
      accountId,
      "deliveries",
      unsent.map((delivery) => delivery.id)
    )
  })
})
