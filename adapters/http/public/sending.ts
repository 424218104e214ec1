/**
 * Handles the transactional email endpoints.
 *
 * @module
 */
import { Effect } from "effect"
import { commonReason, commonStatus } from "../../../core/model/DeliveryStatus.ts"
import { warn } from "../../../core/kernel/Warnings.ts"
import { Emails } from "../../../core/sending/emails/Emails.ts"
import type { SubmissionSummary } from "../../../core/model/Submission.ts"
import { PublicApi } from "../schema/PublicApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { textIn } from "../edge/body.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"

/** A submission, as the API returns it. */
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

const encodeAccepted = ({ acceptedReason, acceptedStatus, id }: SubmissionSummary) => ({
  id,
  status: acceptedStatus,
  reason: acceptedReason
})

/** The transactional email routes. */
export const sendingRoutes = Effect.map(Emails, (emails) =>
  bind(
    PublicApi.groups.sending,
    {
      submit: ({ caller, header, payload }) =>
        Effect.flatMap(
          emails.submit(caller.accountId, payload, header("idempotency-key"), { keyId: caller.keyId }),
          ({ created: isNew, submission }) => {
            const value = encodeAccepted(submission)
            const waits = submission.deliveries.some(({ reason }) => reason === "sending.no_verified_sender")
            return Effect.as(
              waits ? warn({ code: "no_verified_sender" }) : Effect.void,
              isNew ? created(value) : ok(value)
            )
          }
        ),
      get: ({ caller, params }) =>
        Effect.map(emails.get(caller.accountId, params.id), (submission) => ok(encodeSubmission(submission)))
    },
    {
      // With a known idempotency key, the reply is that of the first email, whatever the body.
      submit: ({ caller, header, payload }) =>
        Effect.map(
          emails.findRepeated(caller.accountId, textIn(payload, "idempotencyKey"), header("idempotency-key")),
          (submission) => submission && ok(encodeAccepted(submission))
        )
    }
  )
)
