/**
 * Cancels emails that have not been sent (docs/contributing/management-api.md).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { isUuid } from "../../shared/Uuid.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { moveUnclaimed } from "../delivery/DeliveryRules.ts"
import type { SubmissionSummary } from "../../model/Submission.ts"

/** Cancels emails. */
export class EmailCancellation extends Context.Service<
  EmailCancellation,
  {
    /**
     * Fails the queued deliveries of an email with sending.cancelled, in one transaction with the audit entry, and
     * returns the submission as it is then. Fails with common.not_found, sending.email_not_cancellable.
     */
    readonly cancel: (
      accountId: string,
      id: string,
      actor: string
    ) => Effect.Effect<SubmissionSummary, Problem | Unavailable>
  }
>()("svc/sending/EmailCancellation") {
  static readonly layer = Layer.effect(
    EmailCancellation,
    Effect.gen(function* () {
      const submissions = yield* SubmissionStore
      const jobs = yield* JobQueue
      const atomically = yield* Atomically
      const { record } = yield* AuditTrail

      const find = Effect.fnUntraced(function* (accountId: string, id: string) {
        const [submission] = isUuid(id) ? yield* submissions.find(accountId, [id.toLowerCase()]) : []
        return submission ?? (yield* Problem.of("common.not_found"))
      })

      const cancelQueued = Effect.fnUntraced(function* (accountId: string, id: string, actor: string) {
        const submission = yield* find(accountId, id)
        const at = yield* Clock.currentTimeMillis
        const queued = submission.deliveries.filter((delivery) => delivery.status === "Queued")
        // Failed can only be reached from Queued through a review (docs/contributing/decisions.md 5): here the
        // operator's, who decides at once.
        const reviewed = yield* submissions.move(
          queued.map((delivery) => moveUnclaimed(delivery, ["PendingReview", null], at))
        )
        if (reviewed.length === 0) return yield* Problem.of("sending.email_not_cancellable")
        const failed = yield* submissions.move(
          reviewed.map((delivery) => moveUnclaimed(delivery, ["Failed", "sending.cancelled"], at))
        )
        const ids = failed.map((delivery) => delivery.id)
        yield* jobs.cancel(accountId, "deliveries", ids)
        yield* record(actor, {
          accountId,
          action: "email.cancelled",
          target: submission.id,
          before: { queued: queued.length },
          after: { cancelled: ids.length }
        })
        return yield* find(accountId, id)
      })

      return EmailCancellation.of({
        cancel: Effect.fn("EmailCancellation.cancel")((accountId: string, id: string, actor: string) =>
          atomically(cancelQueued(accountId, id, actor))
        )
      })
    })
  )
}
