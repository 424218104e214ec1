/**
 * Ports that tell what passes through them: counts for GET /metrics, and spans where they go anywhere. No label or
 * attribute is an account's, an address or anything that somebody sent, and the values of each are few.
 *
 * @module
 */
import { Clock, type Context, Effect, Layer, Metric } from "effect"
import { carryTrace } from "../../core/jobs/JobTraces.ts"
import { JobQueue } from "../../core/ports/JobQueue.ts"
import { MailTransport } from "../../core/ports/MailTransport.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { WebhookClient } from "../../core/ports/WebhookClient.ts"
import type { Outcome } from "../../core/model/Message.ts"
import { inSpan } from "../../core/shared/Tracing.ts"
import type { AttemptAnswer } from "../../core/model/Webhook.ts"
import { succeeded } from "../../core/webhooks/WebhookRules.ts"

const emails = Metric.counter("svc_emails_accepted_total", {
  description: "Emails accepted, by API or SMTP",
  incremental: true
})
const deliveries = Metric.counter("svc_deliveries_total", {
  description: "Deliveries that came to a status",
  incremental: true
})
const smtpAttempts = Metric.counter("svc_smtp_attempts_total", {
  description: "Messages handed to a mail server, by what became of them",
  incremental: true
})
const smtpSeconds = Metric.histogram("svc_smtp_attempt_duration_seconds", {
  description: "Time to hand a message to a mail server",
  boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
})
const webhookAttempts = Metric.counter("svc_webhook_attempts_total", {
  description: "Requests of webhooks, by what became of them",
  incremental: true
})
const webhookSeconds = Metric.histogram("svc_webhook_attempt_duration_seconds", {
  description: "Time to an answer of a webhook",
  boundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})
const storeSeconds = Metric.histogram("svc_store_transaction_duration_seconds", {
  description: "Time of a transaction of the store, from its beginning to the commit or the rollback",
  boundaries: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15]
})

/** A port as it is, with some of it told. */
const told = <Id, Service>(
  port: Context.Key<Id, Service>,
  tell: (service: Service) => Service
): Layer.Layer<Id, never, Id> => Layer.effect(port, Effect.map(port, tell))

/** Runs an effect and tells how long it took, however it ended. */
const timed = <A, E, R>(
  seconds: Metric.Metric<number, unknown>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Clock.clockWith((clock) =>
    Effect.suspend(() => {
      const started = clock.monotonicTimeNanosUnsafe()
      return Effect.ensuring(
        effect,
        Effect.suspend(() => Metric.update(seconds, Number(clock.monotonicTimeNanosUnsafe() - started) / 1e9))
      )
    })
  )

const jobs = told(JobQueue, (queue) => ({
  ...queue,
  enqueue: (added) => Effect.flatMap(carryTrace(added), queue.enqueue)
}))

const submissions = told(SubmissionStore, (store) => ({
  ...store,
  insert: (accountId, added, work) =>
    Effect.gen(function* () {
      const carried = yield* carryTrace(work.map(({ job }) => job))
      const traced = work.map(({ submissionId }, index) => ({ submissionId, job: carried[index]! }))
      // A transaction by itself, unless it is a part of one.
      const stored = yield* timed(storeSeconds, store.insert(accountId, added, traced))
      const ids = new Set(added.map(({ id }) => id))
      yield* Metric.update(emails, stored.filter(({ id }) => ids.has(id)).length)
      return stored
    }),
  move: (moves) =>
    Effect.tap(store.move(moves), (moved) => {
      const byStatus = Map.groupBy(moved, ({ status }) => status)
      return Effect.forEach(
        byStatus,
        ([status, { length }]) => Metric.update(Metric.withAttributes(deliveries, { status }), length),
        { discard: true }
      )
    })
}))

const transactions = told(Transaction, (transaction) => ({
  run: (effect) => timed(storeSeconds, transaction.run(effect))
}))

/** What an attempt that failed is told as: a server's refusal, or the word for why there was none. */
const errorOf = (outcome: Outcome): string | null => {
  switch (outcome._tag) {
    case "Deferred":
    case "Bounced":
    case "Refused":
    case "Unknown":
      return outcome.conversation?.error ?? outcome._tag
    default:
      return null
  }
}

const transport = told(MailTransport, ({ busyUntil, send }) => ({
  busyUntil,
  send: (message, pointOfNoReturn) =>
    Effect.tap(
      inSpan(
        "smtp.send",
        {
          kind: "client",
          attributes: {
            "svc.delivery.id": message.deliveryId,
            "svc.delivery.attempt": message.attempts + 1,
            "svc.message.bytes": message.raw.length
          }
        },
        timed(smtpSeconds, send(message, pointOfNoReturn)),
        (span, outcome) => {
          span.attribute("svc.outcome", outcome._tag)
          const error = errorOf(outcome)
          if (error !== null) span.attribute("error.type", error)
        }
      ),
      ({ _tag }) => Metric.update(Metric.withAttributes(smtpAttempts, { outcome: _tag }), 1)
    )
}))

const answerClass = (answer: AttemptAnswer): string =>
  answer.httpStatus === null ? "none" : `${Math.floor(answer.httpStatus / 100)}xx`

const webhooks = told(WebhookClient, ({ accepts, post }) => ({
  accepts,
  post: (request) =>
    Effect.tap(
      inSpan(
        "webhook POST",
        {
          kind: "client",
          attributes: { "http.request.method": "POST", "svc.webhook.id": request.pool }
        },
        timed(webhookSeconds, post(request)),
        (span, answer) => {
          if (answer.httpStatus !== null) span.attribute("http.response.status_code", answer.httpStatus)
          if (!succeeded(answer)) span.attribute("error.type", answer.error ?? String(answer.httpStatus))
        }
      ),
      (answer) => Metric.update(Metric.withAttributes(webhookAttempts, { answer: answerClass(answer) }), 1)
    )
}))

/** The ports that tell, over those that do. */
export const instrumentedPorts = Layer.mergeAll(jobs, submissions, transactions, transport, webhooks)
