/**
 * Cancels what remains of an ended run: its pending job, and its unsent emails.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { JobQueue } from "../../ports/JobQueue.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { moveUnclaimed, type Step } from "../../sending/delivery/DeliveryRules.ts"
import type { Delivery } from "../../model/Submission.ts"

/** Cancels the rest of ended runs. */
export class RunCancellation extends Context.Service<RunCancellation>()("svc/automation/RunCancellation", {
  make: Effect.gen(function* () {
    const submissions = yield* SubmissionStore
    const queue = yield* JobQueue

    const move = (deliveries: ReadonlyArray<Delivery>, step: Step, at: number) =>
      deliveries.length === 0
        ? Effect.succeed([])
        : submissions.move(deliveries.map((delivery) => moveUnclaimed(delivery, step, at)))

    return {
      /**
       * Cancels the jobs and unsent deliveries of an account's runs, in the caller's transaction; a fixed number of statements.
       * After its commit, the last byte of none of these emails is sent. An email whose last byte was already allowed is sent.
       *
       * @param now epoch milliseconds
       */
      cancelUnsent: Effect.fn("RunCancellation.cancelUnsent")(function* (
        accountId: string,
        runIds: ReadonlyArray<string>,
        now: number
      ) {
        if (runIds.length === 0) return
        yield* queue.cancel(accountId, "runs", runIds)
        const unsent = yield* submissions.lockUnsent(accountId, runIds)
        if (unsent.length === 0) return
        const inStatus = (status: Delivery["status"]) =>
          unsent.filter((delivery) => delivery.status === status)
        const returned = yield* move(inStatus("HandingOff"), ["Queued", null], now)
        const held = yield* move([...inStatus("Queued"), ...returned], ["PendingReview", null], now)
        yield* move([...inStatus("PendingReview"), ...held], ["Failed", "sending.cancelled"], now)
        yield* queue.cancel(
          accountId,
          "deliveries",
          unsent.map((delivery) => delivery.id)
        )
      })
    }
  })
}) {
  static readonly layer = Layer.effect(RunCancellation, RunCancellation.make)
}
