/**
 * Takes back email that has not left (management API).
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { isUuid } from "../../shared/Uuid.ts"
import { Problem } from "../../shared/Problem.ts"
import { moveUnclaimed } from "../delivery/DeliveryRules.ts"

/**
 * A function that fails what is queued of an email with sending.cancelled, in one transaction with its audit entry, and
 * answers the submission as it is then. common.not_found, sending.email_not_cancellable.
 */
export const makeCancellation = Effect.gen(function* () {
  const submissions = yield* SubmissionStore
  const jobs = yield* JobQueue
  const transaction = yield* Transaction
  const { record } = yield* AuditTrail

  const find = Effect.fnUntraced(function* (accountId: string, id: string) {
    const [submission] = isUuid(id) ? yield* submissions.find(accountId, [id.toLowerCase()]) : []
    return submission ?? (yield* Problem.of("common.not_found"))
  })

  const once = Effect.fnUntraced(function* (accountId: string, id: string, actor: string) {
    const submission = yield* find(accountId, id)
    const at = yield* Clock.currentTimeMillis
    const queued = submission.deliveries.filter((delivery) => delivery.status === "Queued")
    // Failed can be reached from Queued by a review alone (decisions 5): the operator's, who decides at once.
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

  return (accountId: string, id: string, actor: string) =>
    retryConflicts(transaction.run(once(accountId, id, actor)))
})
