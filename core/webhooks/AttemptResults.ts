/**
 * Records the results of notification attempts, many in one transaction.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { systemActor } from "../model/Actor.ts"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { NotificationStore, type CompletedNotification } from "../ports/NotificationStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { Atomically } from "../kernel/atomically.ts"
import { makeGroupCommit } from "../kernel/GroupCommit.ts"
import { webhookRefKey, webhookKey, WebhookWakeups } from "./WebhookWakeups.ts"
import { type AttemptAnswer, type ClaimedNotification, succeeded, type Webhook } from "../model/Webhook.ts"
import { countAttempts, nextNotificationAttemptAt } from "./WebhookRules.ts"

/** An attempt that has ended. */
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

/** Records the results of attempts. */
export class AttemptResults extends Context.Service<AttemptResults>()("svc/webhooks/AttemptResults", {
  make: Effect.gen(function* () {
    const notifications = yield* NotificationStore
    const webhooks = yield* WebhookStore
    const atomically = yield* Atomically
    const wakeups = yield* WebhookWakeups
    const { record } = yield* AuditTrail

    /** Counts the failures of webhooks. Only webhooks with a failed attempt are locked and read. */
    const countFailures = Effect.fnUntraced(function* (attempts: ReadonlyArray<EndedAttempt>) {
      const byWebhook = Map.groupBy(attempts, ({ notification }) => webhookRefKey(notification))
      const failing: Array<ClaimedNotification> = []
      const well: Array<ClaimedNotification> = []
      for (const group of byWebhook.values()) {
        const isWell = group.every(({ answer }) => succeeded(answer))
        ;(isWell ? well : failing).push(group[0]!.notification)
      }
      const before = failing.length === 0 ? [] : yield* webhooks.lock(failing)
      const counted = before.map((webhook) =>
        countAttempts(
          webhook,
          byWebhook.get(webhookKey(webhook))!.map(({ answer }) => answer)
        )
      )
      yield* webhooks.save(counted)
      yield* webhooks.resetFailures(well)
      const stopped = counted.filter((webhook, index) => webhook.status !== before[index]!.status)
      return { counted, stopped }
    })

    const stop = Effect.fnUntraced(function* (stopped: ReadonlyArray<Webhook>) {
      if (stopped.length === 0) return
      yield* notifications.cancel(stopped.map(({ accountId, id }) => ({ accountId, webhookId: id })))
      yield* record(
        systemActor,
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
        counted.map((webhook) => [
          webhookKey(webhook),
          { failuresInARow: webhook.failuresInARow, stopped: webhook.status === "Stopped" }
        ])
      )
      return attempts.map(({ notification }) =>
        Result.succeed(health.get(webhookRefKey(notification)) ?? healthy)
      )
    })

    const submit = yield* makeGroupCommit({
      maxBatch,
      run: (_key: string, attempts: ReadonlyArray<EndedAttempt>) => atomically(write(attempts))
    })
    return {
      /**
       * Records an attempt, and returns its webhook's failures. Attempts that end at the same time are written in one
       * transaction: the log, the new states of the notifications, the wake-ups for retries, and the failures of the webhooks.
       * A webhook that failed too often is stopped, and its Pending notifications are cancelled.
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
 * The state of a notification after an attempt: final, or Pending until the next attempt. Times count from the batch, so that
 * notifications with the same wait share a wake-up.
 */
const stateAfter = ({ answer, notification }: EndedAttempt, now: number): CompletedNotification => {
  const isDone = succeeded(answer)
  const nextAttemptAt = isDone ? null : nextNotificationAttemptAt(notification.attempts + 1, now)
  const state = isDone ? "Succeeded" : nextAttemptAt === null ? "Failed" : "Pending"
  return { notification, answer, at: now, state, nextAttemptAt }
}
