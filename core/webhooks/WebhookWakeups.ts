/**
 * Schedules wake-up jobs. A wake-up is a job of the queue `notifications` that means "this webhook has notifications due". It
 * carries no notification, so a webhook with a long backlog costs the queue no more than any other.
 *
 * Invariant: for every Pending notification, its webhook has a wake-up job that is due no later than the notification can be
 * claimed, or that is held by a worker that checks the whole backlog before it completes the job. Code that makes a
 * notification due therefore schedules a wake-up in the same transaction. A sender that finds notifications claimed by another
 * worker schedules a wake-up for the time when those claims expire.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { wakeupJob } from "../jobs/definitions/WebhookJobs.ts"
import { Ids } from "../kernel/Ids.ts"
import type { Webhook, WebhookRef } from "../model/Webhook.ts"
import { JobQueue } from "../ports/JobQueue.ts"

/** A wake-up to be scheduled. */
export interface WebhookWakeup extends WebhookRef {
  /** Epoch milliseconds. */
  readonly at: number
}

/** A string that identifies a webhook. */
export const webhookRefKey = ({ accountId, webhookId }: WebhookRef): string => `${accountId}/${webhookId}`

/** The `webhookRefKey` of a webhook. */
export const webhookKey = ({ accountId, id }: Webhook): string => webhookRefKey({ accountId, webhookId: id })

/** Schedules wake-up jobs. */
export class WebhookWakeups extends Context.Service<WebhookWakeups>()("svc/webhooks/WebhookWakeups", {
  make: Effect.gen(function* () {
    const queue = yield* JobQueue
    const ids = yield* Ids
    return {
      /** Enqueues one wake-up job for each webhook and time, in the caller's transaction. */
      schedule: Effect.fn("WebhookWakeups.schedule")(function* (wakeups: ReadonlyArray<WebhookWakeup>) {
        const distinct = new Map(wakeups.map((wakeup) => [`${webhookRefKey(wakeup)} ${wakeup.at}`, wakeup]))
        if (distinct.size === 0) return
        const newIds = (yield* ids.many(distinct.size)).values()
        yield* queue.enqueue(
          Array.from(distinct.values(), ({ accountId, at, webhookId }) =>
            wakeupJob.job({ id: newIds.next().value!, accountId, payload: { webhookId }, runAt: at })
          )
        )
      })
    }
  })
}) {
  static readonly layer = Layer.effect(WebhookWakeups, WebhookWakeups.make)
}
