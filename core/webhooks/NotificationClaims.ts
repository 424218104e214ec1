/**
 * Asks for the lines of many webhooks at once: what several lanes want at the same moment is one statement.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import { NotificationStore } from "../ports/NotificationStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { makeGroupCommit } from "../kernel/GroupCommit.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { refKey } from "./WebhookWakeups.ts"
import type { ClaimedNotification, Webhook, WebhookRef } from "../model/Webhook.ts"

/** A part of a line, taken to be sent, and the webhook as it is now; null when it is gone. */
export interface Taken {
  readonly webhook: Webhook | null
  readonly notifications: ReadonlyArray<ClaimedNotification>
}

/** How long what is taken stays ours, milliseconds; longer than an attempt takes, the look-up of its name included. */
const claimLease = 25_000
const maxBatch = 500

/** What takes from lines, and tells whether they hold more. */
export const makeNotificationClaims = Effect.gen(function* () {
  const notifications = yield* NotificationStore
  const webhooks = yield* WebhookStore

  const take = yield* makeGroupCommit<
    { readonly ref: WebhookRef; readonly limit: number },
    Taken,
    never,
    Unavailable
  >({
    maxBatch,
    run: Effect.fnUntraced(function* (_, requests) {
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
      const byId = new Map(
        found.map((webhook) => [refKey({ accountId: webhook.accountId, webhookId: webhook.id }), webhook])
      )
      const lines = Map.groupBy(claimed, refKey)
      return requests.map(({ ref }) => {
        const key = refKey(ref)
        const line = lines.get(key) ?? []
        // Whoever asks first gets it all.
        lines.delete(key)
        return Result.succeed({ webhook: byId.get(key) ?? null, notifications: line })
      })
    })
  })

  const dueAt = yield* makeGroupCommit<WebhookRef, number | null, never, Unavailable>({
    maxBatch,
    run: Effect.fnUntraced(function* (_, refs) {
      const now = yield* Clock.currentTimeMillis
      const due = yield* notifications.due(refs, now, now + claimLease)
      const times = new Map(due.map((line) => [refKey(line), line.at]))
      return refs.map((ref) => Result.succeed(times.get(refKey(ref)) ?? null))
    })
  })

  return {
    take: (ref: WebhookRef, limit: number) => take("all", { ref, limit }),
    /** When something can be taken: what is due, or what somebody else has taken; null for nothing. */
    dueAt: (ref: WebhookRef) => dueAt("all", ref)
  }
})
