/**
 * Writes down what came of attempts, many at once.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import { makeRecorder } from "../accounts/AuditTrail.ts"
import { NotificationStore, type CompletedNotification } from "../ports/NotificationStore.ts"
import { Transaction } from "../ports/Transaction.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { retryConflicts } from "../kernel/Conflicts.ts"
import { makeGroupCommit } from "../kernel/GroupCommit.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { makeWebhookWakeups, refKey } from "./WebhookWakeups.ts"
import type { AttemptAnswer, ClaimedNotification, Webhook } from "../model/Webhook.ts"
import { countAttempts, retryAt, succeeded } from "./WebhookRules.ts"

/** An attempt that ended. */
export interface Attempted {
  readonly notification: ClaimedNotification
  readonly answer: AttemptAnswer
}

/** Where the webhook stands after it. */
export interface Standing {
  readonly failuresInARow: number
  readonly stopped: boolean
}

const maxBatch = 500
const healthy: Standing = { failuresInARow: 0, stopped: false }

/**
 * What an attempt leads to: nothing more, or another attempt. Times are those of the batch, so that those tried again
 * after the same wait share an wakeup.
 */
const settle = ({ answer, notification }: Attempted, now: number): CompletedNotification => {
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

/**
 * A function that records an attempt and answers where its webhook stands. Attempts that end at the same time are
 * written in one transaction: their log, what becomes of the notifications, the alarms of those tried again, the
 * counts of failures; a webhook that failed once too often is stopped, and what it was still to be told is cancelled.
 */
export const makeAttemptResults = Effect.gen(function* () {
  const notifications = yield* NotificationStore
  const webhooks = yield* WebhookStore
  const transaction = yield* Transaction
  const scheduleWakeups = yield* makeWebhookWakeups
  const record = yield* makeRecorder

  /** The webhooks as they are after the attempts. Only those that failed are locked and read. */
  const count = Effect.fnUntraced(function* (attempts: ReadonlyArray<Attempted>) {
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

  const write = Effect.fnUntraced(function* (attempts: ReadonlyArray<Attempted>) {
    const { counted, stopped } = yield* count(attempts)
    const now = yield* Clock.currentTimeMillis
    const settled = attempts.map((attempt) => settle(attempt, now))
    yield* notifications.complete(settled)
    yield* scheduleWakeups(
      settled.flatMap(({ nextAttemptAt, notification }) =>
        nextAttemptAt === null ? [] : [{ ...notification, at: nextAttemptAt }]
      )
    )
    yield* stop(stopped)
    const standings = new Map(
      counted.map(({ accountId, failuresInARow, id, status }) => [
        refKey({ accountId, webhookId: id }),
        { failuresInARow, stopped: status === "Stopped" }
      ])
    )
    return attempts.map(({ notification }) => Result.succeed(standings.get(refKey(notification)) ?? healthy))
  })

  const submit = yield* makeGroupCommit<Attempted, Standing, never, Unavailable>({
    maxBatch,
    run: (_, attempts) => retryConflicts(transaction.run(write(attempts)))
  })
  return (attempt: Attempted) => submit("all", attempt)
})
