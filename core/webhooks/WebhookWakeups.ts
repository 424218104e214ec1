/**
 * Alarms: jobs of the queue `notifications` that say "this webhook has something due". They carry no notification, so
 * a webhook with a long line of them costs the queue no more than any other.
 *
 * What holds at every moment: of each Pending notification there is an alarm of its webhook, set to no later than the
 * notification can be claimed, or held by a worker that looks at the whole line before it completes it. Whoever makes a
 * notification due therefore sets an alarm beside it, and whoever finds some claimed by another worker sets one for the
 * time their claims run out.
 *
 * @module
 */
import { Effect } from "effect"
import { wakeupJob } from "../jobs/definitions/WebhookJobs.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { Ids } from "../kernel/Ids.ts"
import type { WebhookRef } from "../model/Webhook.ts"

/** An alarm to be set. */
export interface WebhookWakeup extends WebhookRef {
  /** Epoch milliseconds. */
  readonly at: number
}

/** A text that tells webhooks apart. */
export const refKey = ({ accountId, webhookId }: WebhookRef): string => `${accountId}/${webhookId}`

/** A function that sets wakeups, one for each webhook and time, in the caller's transaction. */
export const makeWebhookWakeups = Effect.gen(function* () {
  const queue = yield* JobQueue
  const ids = yield* Ids
  return Effect.fnUntraced(function* (wakeups: ReadonlyArray<WebhookWakeup>) {
    const each = [...new Map(wakeups.map((wakeup) => [`${refKey(wakeup)} ${wakeup.at}`, wakeup])).values()]
    if (each.length === 0) return
    const newIds = yield* ids.many(each.length)
    yield* queue.enqueue(
      each.map(({ accountId, at, webhookId }, index) =>
        wakeupJob.job({ id: newIds[index]!, accountId, payload: { webhookId }, runAt: at })
      )
    )
  })
})
