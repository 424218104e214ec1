/**
 * Tests of the sender of a webhook over the memory adapter: attempts that end while it claims notifications.
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
import type { Webhook } from "../../../core/model/Webhook.ts"
import { WebhookWakeups } from "../../../core/webhooks/WebhookWakeups.ts"
import { NotificationSender } from "../../../core/webhooks/NotificationSender.ts"
import { formatSecret } from "../../../core/webhooks/Signature.ts"
import { freshAccountId, newId, times } from "../../contract/fixtures.ts"
import { draftWebhook } from "../../contract/WebhookStore.ts"
import { senderTest, start, until } from "../../support/senderTests.ts"

/** A secret box that does not seal. */
const openBox = Layer.succeed(
  SecretBox,
  SecretBox.of({ seal: Effect.succeed, open: Effect.succeed, reseal: () => Effect.succeed(null) })
)

/** Sends the due notifications of a webhook, and then waits for `after`. */
const sendDue = <E = never, R = never, R2 = never>(
  { accountId, id }: Webhook,
  replaced: Layer.Layer<WebhookClient, never, R>,
  after: Effect.Effect<void, E, R2> = Effect.void
) => {
  const ports = Layer.mergeAll(replaced, openBox, AuditTrail.layer).pipe(
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(crypto)
  )
  const handlers = Effect.map(NotificationSender, (sender) => ({ notifications: sender }))
  const services = Worker.layer(handlers).pipe(
    Layer.provide(NotificationSender.layer),
    Layer.merge(WebhookWakeups.layer),
    Layer.provideMerge(ports)
  )
  return Effect.gen(function* () {
    yield* (yield* WebhookWakeups).schedule([{ accountId, webhookId: id, at: start }])
    yield* (yield* Worker).drain
    yield* after
  }).pipe(Effect.provide(Layer.fresh(services)))
}

senderTest(
  "an endpoint sender makes no more requests than may fail, when failures are recorded during a claim",
  Effect.gen(function* () {
    const accountId = yield* freshAccountId
    const webhooks = yield* WebhookStore
    const notifications = yield* NotificationStore
    const sealed = formatSecret(new Uint8Array(24))
    const webhook = draftWebhook(accountId, { secrets: [{ sealed, until: null }] })
    yield* webhooks.insert(webhook, 20)
    const backlog = times(30, () => ({
      id: newId(),
      accountId,
      webhookId: webhook.id,
      type: "webhook.test" as const,
      deliveryId: null,
      body: "{}",
      createdAt: start
    }))
    yield* notifications.insert(backlog)

    const current = Effect.map(webhooks.find([{ accountId, webhookId: webhook.id }]), ([one]) => one!)
    const claiming = yield* Deferred.make<void>()
    let claims = 0
    let requests = 0
    const failing = Layer.succeed(
      WebhookClient,
      WebhookClient.of({
        accepts: () => true,
        post: () =>
          Effect.gen(function* () {
            // Five attempts fail at once. More notifications are then claimed, and the other five attempts fail during that
            // claim.
            if (++requests > 5) yield* Deferred.await(claiming)
            return { httpStatus: 503, error: null, durationMs: 1, answer: null }
          })
      })
    )
    const slowClaim = Layer.succeed(
      NotificationStore,
      NotificationStore.of({
        ...notifications,
        claim: (wanted, lease, now) =>
          Effect.gen(function* () {
            const claimed = yield* notifications.claim(wanted, lease, now)
            if (++claims === 2) {
              yield* Deferred.succeed(claiming, undefined)
              yield* until(Effect.map(current, ({ failuresInARow }) => failuresInARow >= 10))
            }
            return claimed
          })
      })
    )
    yield* sendDue(
      webhook,
      Layer.merge(failing, slowClaim),
      until(Effect.map(current, ({ status }) => status === "Stopped"))
    )
    expect(yield* current).toMatchObject({ status: "Stopped", failuresInARow: 15 })
    expect(requests).toBe(15)
  })
)

senderTest(
  "an endpoint sender sends at once what becomes due while it records a result",
  Effect.gen(function* () {
    const accountId = yield* freshAccountId
    const webhooks = yield* WebhookStore
    const notifications = yield* NotificationStore
    const sealed = formatSecret(new Uint8Array(24))
    const webhook = draftWebhook(accountId, { secrets: [{ sealed, until: null }] })
    yield* webhooks.insert(webhook, 20)
    const draft = () => ({
      id: newId(),
      accountId,
      webhookId: webhook.id,
      type: "webhook.test" as const,
      deliveryId: null,
      body: "{}",
      createdAt: start
    })
    yield* notifications.insert([draft()])
    let requests = 0
    const client = Layer.succeed(
      WebhookClient,
      WebhookClient.of({
        accepts: () => true,
        post: () =>
          Effect.gen(function* () {
            // The claim has been made, so what is inserted now is not part of it.
            if (++requests < 3) yield* Effect.orDie(notifications.insert([draft()]))
            return { httpStatus: 204, error: null, durationMs: 1, answer: null }
          })
      })
    )
    // The clock stands still, so a pause would never end.
    yield* sendDue(webhook, client)
    expect(requests).toBe(3)
  })
)
