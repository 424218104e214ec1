/**
 * Handles the transactional email endpoints.
 *
 * @module
 */
import { Effect } from "effect"
import { commonReason, commonStatus } from "../../../core/model/DeliveryStatus.ts"
import { Emails } from "../../../core/sending/emails/Emails.ts"
import type { SubmissionSummary } from "../../../core/model/Submission.ts"
import { PublicApi } from "../schema/PublicApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"

/** A submission of the API. */
export const encodeSubmission = (submission: SubmissionSummary) => ({
  id: submission.id,
  status: commonStatus(submission.deliveries),
  reason: commonReason(submission.deliveries),
  recipients: submission.deliveries.map(({ email, id, kind, name, reason, status }) => ({
    id,
    email,
    name,
    kind,
    status,
    reason
  })),
  sendAt: dateTimeOrNull(submission.sendAt),
  templateId: submission.templateId,
  metadata: submission.metadata,
  tags: submission.tags
})

/** The transactional email routes. */
export const sendingRoutes = Effect.map(Emails, (emails) =>
  bind(PublicApi.groups.sending, {
    submit: ({ caller, header, payload }) =>
      Effect.map(
        emails.submit(caller.accountId, payload, header("idempotency-key")),
        ({ created: isNew, submission }) => {
          const value = {
            id: submission.id,
            status: submission.acceptedStatus,
            reason: submission.acceptedReason
          }
          return isNew ? created(value) : ok(value)
        }
      ),
    get: ({ caller, params }) =>
      Effect.map(emails.get(caller.accountId, params.id), (submission) => ok(encodeSubmission(submission)))
  })
)
