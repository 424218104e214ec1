/**
 * The operator's handlers of emails and the sandbox inbox.
 *
 * @module
 */
import { Effect } from "effect"
import { managementActor } from "../../../core/accounts/AuditTrail.ts"
import { AttemptStore } from "../../../core/ports/AttemptStore.ts"
import { InboxStore, type InboxMessage } from "../../../core/ports/InboxStore.ts"
import type { Attempt } from "../../../core/model/Message.ts"
import { type DeliveryStatus, deliveryStatuses } from "../../../core/model/DeliveryStatus.ts"
import { Emails } from "../../../core/sending/emails/Emails.ts"
import type { SubmissionSummary } from "../../../core/model/Submission.ts"
import { parseEmail } from "../../../core/shared/EmailAddress.ts"
import { isUuid } from "../../../core/shared/Uuid.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { encodeSubmission } from "../public/sending.ts"
import { pageOfQuery, type Query, textOf } from "../edge/Query.ts"
import { bind, document, ok } from "../edge/Route.ts"
import { asEffect, makeAccountGate } from "./requireAccount.ts"

const encodeMessage = (message: InboxMessage) => ({
  id: message.id,
  submissionId: message.submissionId,
  to: message.to,
  from: { email: message.fromEmail, name: message.fromName },
  subject: message.subject,
  html: message.html,
  text: message.text,
  receivedAt: formatDateTime(message.receivedAt)
})

const encodeAttempt = ({ error, finishedAt, host, outcome, replies, startedAt, tls }: Attempt) => ({
  startedAt: formatDateTime(startedAt),
  finishedAt: formatDateTime(finishedAt),
  outcome,
  host,
  tls,
  replies,
  error
})

/** A submission with what the operator sees beside what its sender does. */
const encodeDetail = (submission: SubmissionSummary, attempts: ReadonlyArray<Attempt>) => {
  const byDelivery = Map.groupBy(attempts, (attempt) => attempt.deliveryId)
  const shown = encodeSubmission(submission)
  return {
    ...shown,
    createdAt: formatDateTime(submission.createdAt),
    from: submission.from,
    subject: submission.subject,
    contentErasedAt: dateTimeOrNull(submission.contentErasedAt),
    recipients: submission.deliveries.map(({ clickedAt, id, openedAt, updatedAt }, index) => ({
      ...shown.recipients[index]!,
      updatedAt: formatDateTime(updatedAt),
      openedAt: dateTimeOrNull(openedAt),
      clickedAt: dateTimeOrNull(clickedAt),
      attempts: (byDelivery.get(id) ?? []).map(encodeAttempt)
    }))
  }
}

/** `status`, `to` and `flowId`; validation.format, validation.email. */
const filterOf = (query: Query) => {
  const status = textOf(query, "status")
  if (status !== null && !(deliveryStatuses as ReadonlyArray<string>).includes(status)) {
    return Problem.of("validation.format", "status")
  }
  const to = textOf(query, "to")
  const email = to === null ? null : parseEmail(to)
  if (to !== null && email === null) return Problem.of("validation.email", "to")
  const flowId = textOf(query, "flowId")
  if (flowId !== null && !isUuid(flowId)) return Problem.of("validation.format", "flowId")
  return { status: status as DeliveryStatus | null, to: email, flowId: flowId?.toLowerCase() ?? null }
}

/** Emails and the sandbox inbox; a live account has no inbox. */
export const emailsRoutes = Effect.gen(function* () {
  const emails = yield* Emails
  const attempts = yield* AttemptStore
  const inbox = yield* InboxStore
  const gate = yield* makeAccountGate
  const sandbox = (params: Parameters<typeof gate>[0]) =>
    Effect.flatMap(gate(params), (account) =>
      account.mode === "Sandbox" ? Effect.succeed(account) : Effect.fail(Problem.of("common.not_found"))
    )
  const found = <A>(value: A | null) =>
    value === null ? Effect.fail(Problem.of("common.not_found")) : Effect.succeed(value)
  return bind(ManagementApi.groups.emails, {
    list: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      const filter = yield* asEffect(filterOf(query))
      return ok(
        mapPage(yield* emails.list(id, filter, yield* asEffect(pageOfQuery(query))), encodeSubmission)
      )
    }),
    get: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      const submission = yield* emails.get(id, params["id"] ?? "")
      return ok(encodeDetail(submission, yield* attempts.of(submission.deliveries)))
    }),
    cancel: ({ params }) =>
      Effect.flatMap(gate(params), ({ id }) =>
        Effect.map(emails.cancel(id, params["id"] ?? "", managementActor), (submission) =>
          ok(encodeSubmission(submission))
        )
      ),
    inbox: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* sandbox(params)
      return ok(mapPage(yield* inbox.list(id, yield* asEffect(pageOfQuery(query))), encodeMessage))
    }),
    inboxMessage: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* sandbox(params)
      return ok(encodeMessage(yield* found(yield* inbox.get(id, params["id"] ?? ""))))
    }),
    inboxRaw: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* sandbox(params)
      return document("message/rfc822", yield* found(yield* inbox.raw(id, params["id"] ?? "")))
    })
  })
})
