/**
 * Handles the management endpoints of emails and the sandbox inbox.
 *
 * @module
 */
import { Effect } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import { AttemptStore } from "../../../core/ports/AttemptStore.ts"
import { ContactStore } from "../../../core/ports/ContactStore.ts"
import { JobQueue } from "../../../core/ports/JobQueue.ts"
import { deliveryJob } from "../../../core/jobs/definitions/DeliveryJobs.ts"
import type { Among } from "../../../core/shared/Page.ts"
import { VisitStore } from "../../../core/ports/VisitStore.ts"
import { type DeliveryVisits, noVisits } from "../../../core/model/Visit.ts"
import type { Attempt } from "../../../core/model/Message.ts"
import { type InboxMessage, SandboxInbox } from "../../../core/sending/delivery/SandboxInbox.ts"
import { KnownProviders, type ProviderTable } from "../../../core/sending/shaping/Providers.ts"
import { ShapingControl } from "../../../core/sending/shaping/ShapingControl.ts"
import { EmailReview } from "../../../core/sending/emails/EmailReview.ts"
import { Emails } from "../../../core/sending/emails/Emails.ts"
import { isHeldReason } from "../../../core/model/DeliveryStatus.ts"
import { lanesOver } from "../../../core/model/Source.ts"
import {
  type Delivery,
  emailSource,
  senderOfLine,
  type SubmissionSummary
} from "../../../core/model/Submission.ts"
import type { Suspension } from "../../../core/model/Suspension.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { encodeSubmission } from "../public/sending.ts"
import { document, ok } from "../edge/reply.ts"
import { listed } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"

const encodeMessage = (message: InboxMessage) => ({
  id: message.id,
  submissionId: message.submissionId,
  to: message.to,
  from: { email: message.fromEmail, name: message.fromName },
  subject: message.subject,
  html: message.html,
  text: message.text,
  isAsSent: message.isAsSent,
  receivedAt: formatDateTime(message.receivedAt)
})

const encodeAttempt = ({ error, finishedAt, host, outcome, replies, source, startedAt, tls }: Attempt) => ({
  startedAt: formatDateTime(startedAt),
  finishedAt: formatDateTime(finishedAt),
  outcome,
  source,
  host,
  tls,
  replies,
  error
})

const encodeVisits = ({ clicks, opens, readerClickedAt, readerOpenedAt, visits }: DeliveryVisits) => ({
  readerOpenedAt: dateTimeOrNull(readerOpenedAt),
  readerClickedAt: dateTimeOrNull(readerClickedAt),
  opens,
  clicks,
  recent: visits.map((visit) => ({ ...visit, at: formatDateTime(visit.at) }))
})

/** A submission as lists show it. */
export const encodeListed = (submission: SubmissionSummary) => ({
  ...encodeSubmission(submission),
  createdAt: formatDateTime(submission.createdAt),
  from: submission.from,
  subject: submission.subject,
  source: emailSource(submission),
  keyId: submission.keyId
})

/** Whether a suspension holds the mail of a queue `line` (a destination and its sender) on a lane. */
const holds = (one: Suspension, lane: string, line: string): boolean =>
  lanesOver(lane).includes(one.lane) && (one.sender === null || one.sender === senderOfLine(line))

/** The lane of a delivery, what holds it, and the last reply of its server. */
const encodeRoute = (
  { heldSince, lane, line, reason, status }: Delivery,
  attempts: ReadonlyArray<Attempt>,
  holding: ReadonlyArray<Suspension>,
  table: ProviderTable
) => {
  const isHeld = status === "Queued" && isHeldReason(reason)
  const host = attempts.findLast((attempt) => attempt.host !== null)?.host ?? null
  const ofHost = host === null ? null : table.of([host])
  return {
    source: attempts.at(-1)?.source ?? null,
    provider: (ofHost ?? table.ofLane(lane ?? ""))?.key ?? null,
    heldSince: isHeld ? dateTimeOrNull(heldSince) : null,
    words:
      attempts.findLast(({ replies }) => replies.length > 0)?.replies.at(-1) ??
      (isHeld && lane !== null ? (holding.find((one) => holds(one, lane, line))?.words ?? null) : null)
  }
}

/** A submission with the details that only operators see. */
const encodeDetail = (
  table: ProviderTable,
  submission: SubmissionSummary,
  attempts: ReadonlyArray<Attempt>,
  visits: ReadonlyArray<DeliveryVisits>,
  holding: ReadonlyArray<Suspension>,
  dueTimes: ReadonlyMap<string, number | null>
) => {
  const visited = new Map(visits.map((record) => [record.deliveryId, record]))
  const byDelivery = Map.groupBy(attempts, (attempt) => attempt.deliveryId)
  const shown = encodeListed(submission)
  return {
    ...shown,
    idempotencyKey: submission.idempotencyKey,
    templateVersion: submission.templateVersion,
    flowId: submission.flowId,
    runId: submission.runId,
    campaignId: submission.marketing?.campaign?.id ?? null,
    contentErasedAt: dateTimeOrNull(submission.contentErasedAt),
    recipients: submission.deliveries.map((delivery, index) => {
      const { clickedAt, id, openedAt, updatedAt } = delivery
      const own = byDelivery.get(id) ?? []
      return {
        ...shown.recipients[index]!,
        updatedAt: formatDateTime(updatedAt),
        openedAt: dateTimeOrNull(openedAt),
        clickedAt: dateTimeOrNull(clickedAt),
        ...encodeRoute(delivery, own, holding, table),
        nextAttemptAt: delivery.status === "Queued" ? dateTimeOrNull(dueTimes.get(id) ?? null) : null,
        visits: encodeVisits(visited.get(id) ?? noVisits(submission.accountId, id)),
        attempts: own.map(encodeAttempt)
      }
    })
  }
}

/** The tag in a filter `name=value`. A name contains no `=`. */
const toTag = (text: string) => {
  const end = text.indexOf("=")
  return { name: text.slice(0, end), value: text.slice(end + 1) }
}

/** The routes of emails and the sandbox inbox. A live account has no inbox. */
export const emailsRoutes = Effect.gen(function* () {
  const emails = yield* Emails
  const review = yield* EmailReview
  const attempts = yield* AttemptStore
  const inbox = yield* SandboxInbox
  const visits = yield* VisitStore
  const contacts = yield* ContactStore
  const shaping = yield* ShapingControl
  const table = yield* KnownProviders
  const queue = yield* JobQueue
  const requireSandbox = ({ mode }: Account) =>
    mode === "Sandbox" ? Effect.void : Effect.fail(Problem.of("common.not_found"))
  /** The current and former addresses of contacts; if `to` is given, only those among them. */
  const addressesOf = Effect.fnUntraced(function* (
    accountId: string,
    ids: ReadonlyArray<string>,
    to: Among<string>
  ) {
    const found = yield* contacts.find(accountId, { ids, externalIds: [], emails: [] })
    const addresses = found.flatMap(({ email, formerEmails }) => [email ?? [], formerEmails].flat())
    return [...new Set(addresses)].filter((address) => to === null || to.includes(address))
  })
  const found = <A>(value: A | null) =>
    value === null ? Effect.fail(Problem.of("common.not_found")) : Effect.succeed(value)
  return bind(ManagementApi.groups.emails, {
    list: Effect.fnUntraced(function* ({ account, page, query }) {
      const { contactId, tag, ...filters } = query
      const to = contactId === null ? filters.to : yield* addressesOf(account.id, contactId, filters.to)
      const filter = {
        ...filters,
        to,
        tag: tag === null ? null : tag.map(toTag)
      }
      return ok(listed(page, yield* emails.list(account.id, filter, page), encodeListed))
    }),
    get: Effect.fnUntraced(function* ({ account, params }) {
      const submission = yield* emails.get(account.id, params.id)
      const { deliveries } = submission
      const [made, visited] = [yield* attempts.of(deliveries), yield* visits.of(deliveries)]
      // A delivery without attempts can be held because of a server's reply to another one.
      const held = deliveries.flatMap(({ lane, reason, status }) =>
        status === "Queued" && isHeldReason(reason) && lane !== null ? [lane] : []
      )
      const holding = yield* shaping.holding(account.id, held)
      const queued = deliveries.flatMap(({ id, status }) => (status === "Queued" ? [id] : []))
      const dueTimes = yield* queue.dueTimes(account.id, deliveryJob.queues, queued)
      return ok(encodeDetail(table, submission, made, visited, holding, dueTimes))
    }),
    cancel: ({ account, actor, params }) =>
      Effect.map(emails.cancel(account.id, params.id, actor), (submission) =>
        ok(encodeSubmission(submission))
      ),
    release: ({ account, actor, params }) =>
      Effect.map(review.release(account.id, params.id, actor), (submission) =>
        ok(encodeSubmission(submission))
      ),
    refuse: ({ account, actor, params }) =>
      Effect.map(review.refuse(account.id, params.id, actor), (submission) =>
        ok(encodeSubmission(submission))
      ),
    inbox: Effect.fnUntraced(function* ({ account, page }) {
      yield* requireSandbox(account)
      return ok(listed(page, yield* inbox.list(account.id, page), encodeMessage))
    }),
    inboxMessage: Effect.fnUntraced(function* ({ account, params }) {
      yield* requireSandbox(account)
      return ok(encodeMessage(yield* found(yield* inbox.get(account.id, params.id))))
    }),
    inboxRaw: Effect.fnUntraced(function* ({ account, params }) {
      yield* requireSandbox(account)
      return document("message/rfc822", yield* found(yield* inbox.raw(account.id, params.id)))
    })
  })
})
