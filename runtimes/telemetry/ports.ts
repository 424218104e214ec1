/**
 * Instruments ports with metrics for GET /metrics and, if tracing is enabled, with spans. Labels and attributes do not contain
 * accounts, addresses or submitted data, and each has few values.
 *
 * @module
 */
import { Cause, Clock, type Context, Effect, Exit, Layer, Metric, Option } from "effect"
import { carryTrace } from "../../core/jobs/JobTraces.ts"
import { JobQueue } from "../../core/ports/JobQueue.ts"
import { MailTransport } from "../../core/ports/MailTransport.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { type RunEnded, Threads } from "../../core/ports/Threads.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { WebhookClient } from "../../core/ports/WebhookClient.ts"
import type { Outcome } from "../../core/model/Message.ts"
import { inSpan } from "../../core/shared/Tracing.ts"
import { type AttemptAnswer, succeeded } from "../../core/model/Webhook.ts"

const emails = Metric.counter("svc_emails_accepted_total", {
  description: "Emails accepted, by API or SMTP",
  incremental: true
})
const deliveries = Metric.counter("svc_deliveries_total", {
  description: "Deliveries that reached a status",
  incremental: true
})
const smtpAttempts = Metric.counter("svc_smtp_attempts_total", {
  description: "Messages transmitted to a mail server, by outcome",
  incremental: true
})
const smtpSeconds = Metric.histogram("svc_smtp_attempt_duration_seconds", {
  description: "Time to transmit a message to a mail server",
  boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
})
const webhookAttempts = Metric.counter("svc_webhook_attempts_total", {
  description: "Webhook requests, by outcome",
  incremental: true
})
const webhookSeconds = Metric.histogram("svc_webhook_attempt_duration_seconds", {
  description: "Time to the response of a webhook endpoint",
  boundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})
const storeSeconds = Metric.histogram("svc_store_transaction_duration_seconds", {
  description: "Duration of a database transaction, from its beginning to the commit or the rollback",
  boundaries: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15]
})

const threadRunsNow = Metric.gauge("svc_thread_runs", {
  description: "Messages and templates that worker threads process, or that wait for one"
})
const threadRuns = Metric.counter("svc_thread_runs_total", {
  description: "Runs of worker threads that ended, by outcome: Done, Failed, or the bound that was exceeded",
  incremental: true
})

/** A port with some of its methods instrumented. */
const told = <Id, Service>(
  port: Context.Key<Id, Service>,
  tell: (service: Service) => Service
): Layer.Layer<Id, never, Id> => Layer.effect(port, Effect.map(port, tell))

/** Runs an effect and records its duration, whether it succeeds or fails. */
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
  insert: (accountId, added, work, objects) =>
    Effect.gen(function* () {
      const carried = yield* carryTrace(work.map(({ job }) => job))
      const traced = work.map(({ submissionId }, index) => ({ submissionId, job: carried[index]! }))
      // The insertion is an outermost transaction.
      const stored = yield* timed(storeSeconds, store.insert(accountId, added, traced, objects))
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
  ...transaction,
  run: (effect) => timed(storeSeconds, transaction.run(effect))
}))

/** The label of a failed attempt: the server's rejection, or why there was no reply. */
const errorOf = (outcome: Outcome): string | null => {
  switch (outcome._tag) {
    case "Deferred":
    case "Bounced":
    case "MailboxFull":
    case "Refused":
    case "Held":
    case "Unknown":
      return outcome.conversation?.error ?? outcome._tag
    default:
      return null
  }
}

const transport = told(MailTransport, ({ busyUntil, send }) => ({
  busyUntil,
  send: (message, pointOfNoReturn, onParked, admit) =>
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
        timed(smtpSeconds, send(message, pointOfNoReturn, onParked, admit)),
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

/** Why a run has no result: the limit that it exceeded, or `Failed`. */
const boundOf = (cause: Cause.Cause<RunEnded>): string =>
  Option.match(Cause.findErrorOption(cause), { onNone: () => "Failed", onSome: ({ bound }) => bound })

const countedThreads = told(Threads, ({ run }) => ({
  run: (task, input, options) =>
    Effect.acquireUseRelease(
      Metric.modify(threadRunsNow, 1),
      () =>
        Effect.onExit(run(task, input, options), (exit) => {
          const outcome = Exit.isSuccess(exit) ? "Done" : boundOf(exit.cause)
          return Metric.update(Metric.withAttributes(threadRuns, { outcome }), 1)
        }),
      () => Metric.modify(threadRunsNow, -1)
    )
}))

/** The instrumented threads, which adapters also use. Their metric exists before the first run. */
export const instrumentedThreads = Layer.merge(
  countedThreads,
  Layer.effectDiscard(Metric.update(threadRunsNow, 0))
)

/** The instrumented ports over the adapters' ports. */
export const instrumentedPorts = Layer.mergeAll(jobs, submissions, transactions, transport, webhooks)
