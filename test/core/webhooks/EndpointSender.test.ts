/**
 * The lane of a webhook over a store in memory: what races with a look at its line.
 *
 * @module
 */
import { expect } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { layer as crypto } from "../../../adapters/crypto/Crypto.ts"
import { AuditTrail } from "../../../core/accounts/AuditTrail.ts"
import { Worker } from "../../../core/jobs/Worker.ts"
import { NotificationStore } from "../../../core/ports/NotificationStore.ts"
import { SecretBox } from "../../../core/ports/SecretBox.ts"
import { WebhookClient } from "../../../core/ports/WebhookClient.ts"
import { WebhookStore } from "../../../core/ports/WebhookStore.ts"
import { Ids } from "../../../core/kernel/Ids.ts"
import { WebhookWakeups } from "../../../core/webhooks/WebhookWakeups.ts"
import { NotificationSender } from "../../../core/webhooks/NotificationSender.ts"
import { formatSecret } from "../../../core/webhooks/Signature.ts"
import { freshAccountId, newId, times } from "../../contract/fixtures.ts"
import { draftWebhook } from "../../contract/WebhookStore.ts"
import { senderTest, start, until } from "../../support/senderTests.ts"

/** Secrets that are not sealed. */
const openBox = Layer.succeed(SecretBox, SecretBox.of({ seal: Effect.succeed, open: Effect.succeed }))

senderTest(
  "no more requests than may fail are made while a look at the line is older than what they told",
  Effect.gen(function* () {
    const accountId = yield* freshAccountId
    const webhooks = yield* WebhookStore
    const notifications = yield* NotificationStore
    const sealed = formatSecret(new Uint8Array(24))
    const webhook = draftWebhook(accountId, { secrets: [{ sealed, until: null }] })
    yield* webhooks.insert(webhook, 20)
    const line = times(30, () => ({
      id: newId(),
      accountId,
      webhookId: webhook.id,
      type: "webhook.test" as const,
      deliveryId: null,
      body: "{}",
      createdAt: start
    }))
    yield* notifications.insert(line)

    const standing = Effect.map(webhooks.find([{ accountId, webhookId: webhook.id }]), ([one]) => one!)
    const looking = yield* Deferred.make<void>()
    let looks = 0
    let requests = 0
    const refusing = Layer.succeed(
      WebhookClient,
      WebhookClient.of({
        accepts: () => true,
        post: () =>
          Effect.gen(function* () {
            // Five fail at once; what is free then is looked for, and the other five fail during that look.
            if (++requests > 5) yield* Deferred.await(looking)
            return { httpStatus: 503, error: null, durationMs: 1, answer: null }
          })
      })
    )
    const slowLook = Layer.succeed(
      NotificationStore,
      NotificationStore.of({
        ...notifications,
        claim: (wanted, lease, now) =>
          Effect.gen(function* () {
            const claimed = yield* notifications.claim(wanted, lease, now)
            if (++looks === 2) {
              yield* Deferred.succeed(looking, undefined)
              yield* until(Effect.map(standing, ({ failuresInARow }) => failuresInARow >= 10))
            }
            return claimed
          })
      })
    )
    const ports = Layer.mergeAll(refusing, slowLook, openBox, AuditTrail.layer).pipe(
      Layer.provideMerge(Ids.layer),
      Layer.provideMerge(crypto)
    )
    const handlers = Effect.map(NotificationSender, (sender) => ({ notifications: sender }))
    yield* Effect.gen(function* () {
      yield* (yield* WebhookWakeups).schedule([{ accountId, webhookId: webhook.id, at: start }])
      const worker = yield* Worker
      yield* worker.drain
      yield* until(Effect.map(standing, ({ status }) => status === "Stopped"))
    }).pipe(
      Effect.provide(
        Layer.fresh(
          Layer.provideMerge(
            Worker.layer(handlers).pipe(
              Layer.provide(NotificationSender.layer),
              Layer.merge(WebhookWakeups.layer)
            ),
            ports
          )
        )
      )
    )
    expect(yield* standing).toMatchObject({ status: "Stopped", failuresInARow: 15 })
    expect(requests).toBe(15)
  })
)
