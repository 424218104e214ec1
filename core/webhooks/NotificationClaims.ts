/**
 * Claims notifications for many webhooks at once: simultaneous requests of endpoint senders become one statement.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { NotificationStore } from "../ports/NotificationStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { makeGroupCommit } from "../kernel/GroupCommit.ts"
import { webhookRefKey, webhookKey } from "./WebhookWakeups.ts"
import type { WebhookRef } from "../model/Webhook.ts"

/** The duration of a claim, milliseconds. It is longer than an attempt, including the lookup of the host name. */
const claimLease = 25_000
const maxBatch = 500

/** Claims notifications, and reads when the next can be claimed. */
export class NotificationClaims extends Context.Service<NotificationClaims>()(
  "svc/webhooks/NotificationClaims",
  {
    make: Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const webhooks = yield* WebhookStore

      const claim = yield* makeGroupCommit({
        maxBatch,
        run: Effect.fnUntraced(function* (
          _key: string,
          requests: ReadonlyArray<{ readonly ref: WebhookRef; readonly limit: number }>
        ) {
          const now = yield* Clock.currentTimeMillis
          const [found, claimed] = yield* Effect.all(
            [
              webhooks.find(requests.map(({ ref }) => ref)),
              notifications.claim(
                requests.map(({ limit, ref }) => ({ ...ref, limit })),
                claimLease,
                now
              )
            ],
            { concurrency: "unbounded" }
          )
          const byKey = new Map(found.map((webhook) => [webhookKey(webhook), webhook]))
          const claimedByKey = Map.groupBy(claimed, webhookRefKey)
          return requests.map(({ ref }) => {
            const key = webhookRefKey(ref)
            const ours = claimedByKey.get(key) ?? []
            // The first request for a webhook gets all notifications claimed for it.
            claimedByKey.delete(key)
            return Result.succeed({ webhook: byKey.get(key) ?? null, notifications: ours })
          })
        })
      })

      const dueAt = yield* makeGroupCommit({
        maxBatch,
        run: Effect.fnUntraced(function* (_key: string, refs: ReadonlyArray<WebhookRef>) {
          const now = yield* Clock.currentTimeMillis
          const due = yield* notifications.due(refs, now, now + claimLease)
          const times = new Map(due.map((entry) => [webhookRefKey(entry), entry.at]))
          return refs.map((ref) => Result.succeed(times.get(webhookRefKey(ref)) ?? null))
        })
      })

      return {
        /**
         * Claims up to `limit` due notifications of a webhook, and reads the webhook, which is null if it no longer exists. Of
         * simultaneous requests for one webhook, only the first gets notifications.
         */
        claim: (ref: WebhookRef, limit: number) => claim("all", { ref, limit }),

        /**
         * When a notification of a webhook can be claimed, epoch milliseconds: when the first is due, or when another worker's
         * claim expires. Null if there is none.
         */
        dueAt: (ref: WebhookRef) => dueAt("all", ref)
      }
    })
  }
) {
  static readonly layer = Layer.effect(NotificationClaims, NotificationClaims.make)
}
