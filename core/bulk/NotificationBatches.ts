/**
 * Sends the next notifications of a bulk job again: makes them due, and wakes the sender of their webhook.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { BulkJob } from "../model/BulkJob.ts"
import type { WebhookRef } from "../model/Webhook.ts"
import { type NotificationFilter, NotificationStore } from "../ports/NotificationStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import type { Page, Place } from "../shared/Page.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { WebhookWakeups } from "../webhooks/WebhookWakeups.ts"
import type { BulkBatch, BulkOutcome, ResendTarget, ResendWork } from "./BulkActions.ts"

/** The most notifications in one transaction. */
const batchSize = 200

/** The filter of failed notifications in a period. */
const failed = (
  { webhookId }: WebhookRef,
  { since, until }: Exclude<ResendTarget, { readonly ids: unknown }>
): NotificationFilter => ({ webhookId: [webhookId], state: ["Failed"], since, until })

/** Sends notifications again. */
export class NotificationBatches extends Context.Service<NotificationBatches>()(
  "svc/bulk/NotificationBatches",
  {
    make: Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const webhooks = yield* WebhookStore
      const wakeups = yield* WebhookWakeups

      /** The ids of the next notifications after a place. A notification that fails again meanwhile is not found again. */
      const idsOf = Effect.fnUntraced(function* (
        ref: WebhookRef,
        target: ResendTarget,
        position: Place | null
      ) {
        if ("ids" in target) {
          const from = Number(position?.[0] ?? 0)
          const to = from + batchSize
          return { ids: target.ids.slice(from, to), next: to < target.ids.length ? [to] : null }
        }
        const { items, next }: Page<{ readonly id: string }> = yield* notifications.list(
          ref.accountId,
          failed(ref, target),
          { page: 1, pageSize: batchSize, after: position, total: "Bounded" }
        )
        return { ids: items.map(({ id }) => id), next }
      })

      return {
        /** The current number of notifications in a target. */
        count: (accountId: string, { resend, webhookId }: ResendWork) =>
          "ids" in resend
            ? Effect.succeed(resend.ids.length)
            : Effect.map(
                notifications.list(accountId, failed({ accountId, webhookId }, resend), {
                  page: 1,
                  pageSize: 1,
                  total: "Exact"
                }),
                ({ totalCount }) => totalCount
              ),
        /**
         * Makes the next notifications due, in the caller's transaction. common.not_found and webhooks.stopped if the webhook no
         * longer gets notifications.
         */
        process: Effect.fn("NotificationBatches.process")(function* (
          { accountId, position }: BulkJob,
          { resend, webhookId }: ResendWork
        ): Effect.fn.Return<BulkBatch, Problem | Unavailable> {
          const ref = { accountId, webhookId }
          const [webhook] = yield* webhooks.lock([ref])
          if (webhook === undefined) return yield* Problem.of("common.not_found")
          if (webhook.status === "Stopped") return yield* Problem.of("webhooks.stopped")
          const { ids, next } = yield* idsOf(ref, resend, position)
          const at = yield* Clock.currentTimeMillis
          const found = new Map(
            (yield* notifications.resend(ref, ids, at)).map(({ id, isDue }) => [id, isDue])
          )
          yield* wakeups.schedule([{ ...ref, at }])
          const outcomes = ids.map((id): BulkOutcome => {
            const isDue = found.get(id)
            if (isDue === undefined) return [id, "common.not_found"]
            return [id, isDue ? null : "webhooks.attempts_exhausted"]
          })
          return { outcomes, next }
        })
      }
    })
  }
) {
  static readonly layer = Layer.effect(NotificationBatches, NotificationBatches.make).pipe(
    Layer.provide(WebhookWakeups.layer)
  )
}
