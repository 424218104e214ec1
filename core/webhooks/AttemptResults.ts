/**
 * Records the results of notification attempts, many in one transaction.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { NotificationStore, type CompletedNotification } from "../ports/NotificationStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { Atomically } from "../kernel/atomically.ts"
import { makeGroupCommit } from "../kernel/GroupCommit.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { refKey, WebhookWakeups } from "./WebhookWakeups.ts"
import type { AttemptAnswer, ClaimedNotification, Webhook } from "../model/Webhook.ts"
import { countAttempts, retryAt, succeeded } from "./WebhookRules.ts"

/** An attempt that ended. */
export interface EndedAttempt {
  readonly notification: ClaimedNotification
  readonly answer: AttemptAnswer
}

/** A webhook's failures after an attempt. */
export interface EndpointHealth {
  readonly failuresInARow: number
  readonly stopped: boolean
}

const maxBatch = 500
const healthy: EndpointHealth = { failuresInARow: 0, stopped: false }

/** Records attempts. */
export class AttemptResults extends Context.Service<AttemptResults>()("svc/webhooks/AttemptResults", {
  make: Effect.gen(function* () {
    const notifications = yield* NotificationStore
    const webhooks = yield* WebhookStore
    const atomically = yield* Atomically
    const wakeups = yield* WebhookWakeups
    const { record } = yield* AuditTrail

    /** Counts the failures of webhooks. Only webhooks with a failed attempt are locked and read. */
    const countFailures = Effect.fnUntraced(function* (attempts: ReadonlyArray<EndedAttempt>) {
      const byWebhook = Map.groupBy(attempts, ({ notification }) => refKey(notification))
      const groups = [...byWebhook.values()]
      const [failing, well] = [
        groups.filter((group) => group.some(({ answer }) => !succeeded(answer))),
        groups.filter((group) => group.every(({ answer }) => succeeded(answer)))
      ].map((some) => some.map(([first]) => first!.notification))
      const before = failing!.length === 0 ? [] : yield* webhooks.lock(failing!)
      const counted = before.map((webhook) =>
        countAttempts(
          webhook,
          byWebhook
            .get(refKey({ accountId: webhook.accountId, webhookId: webhook.id }))!
            .map(({ answer }) => answer)
        )
      )
      yield* webhooks.save(counted)
      yield* webhooks.resetFailures(well!)
      const stopped = counted.filter((webhook, index) => webhook.status !== before[index]!.status)
      return { counted, stopped }
    })

    const stop = Effect.fnUntraced(function* (stopped: ReadonlyArray<Webhook>) {
      if (stopped.length === 0) return
      yield* notifications.cancel(stopped.map(({ accountId, id }) => ({ accountId, webhookId: id })))
      yield* record(
        "system",
        ...stopped.map(({ accountId, id, stoppedReason }) => ({
          accountId,
          action: "webhook.stopped",
          target: id,
          before: { status: "Active" },
          after: { status: "Stopped", reason: stoppedReason }
        }))
      )
    })

    const write = Effect.fnUntraced(function* (attempts: ReadonlyArray<EndedAttempt>) {
      const { counted, stopped } = yield* countFailures(attempts)
      const now = yield* Clock.currentTimeMillis
      const settled = attempts.map((attempt) => stateAfter(attempt, now))
      yield* notifications.complete(settled)
      yield* wakeups.schedule(
        settled.flatMap(({ nextAttemptAt, notification }) =>
          nextAttemptAt === null ? [] : [{ ...notification, at: nextAttemptAt }]
        )
      )
      yield* stop(stopped)
      const health = new Map(
        counted.map(({ accountId, failuresInARow, id, status }) => [
          refKey({ accountId, webhookId: id }),
          { failuresInARow, stopped: status === "Stopped" }
        ])
      )
      return attempts.map(({ notification }) => Result.succeed(health.get(refKey(notification)) ?? healthy))
    })

    const submit = yield* makeGroupCommit<EndedAttempt, EndpointHealth, never, Unavailable>({
      maxBatch,
      run: (_, attempts) => atomically(write(attempts))
    })
    return {
      /**
       * Records an attempt and returns its webhook's failures. Attempts that end at the same time are written in one
       * transaction: their log, the new states of the notifications, the wake-ups of those tried again, the failures of
       * the webhooks. A webhook that failed too often is stopped, and its Pending notifications are cancelled.
       */
      record: (attempt: EndedAttempt) => submit("all", attempt)
    }
  })
}) {
  static readonly layer = Layer.effect(AttemptResults, AttemptResults.make).pipe(
    Layer.provide(WebhookWakeups.layer)
  )
}

/**
 * A notification's state after an attempt: final, or Pending with another attempt. Times count from the batch, so that
 * notifications tried again after the same wait share a wake-up.
 */
const stateAfter = ({ answer, notification }: EndedAttempt, now: number): CompletedNotification => {
  if (succeeded(answer)) return { notification, answer, at: now, state: "Succeeded", nextAttemptAt: null }
  const nextAttemptAt = retryAt(notification.attempts + 1, now)
  return {
    notification,
    answer,
    at: now,
    state: nextAttemptAt === null ? "Failed" : "Pending",
    nextAttemptAt
  }
}
