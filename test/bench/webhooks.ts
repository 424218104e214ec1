/**
 * Measures how many signed notifications per second are delivered to a receiver on this machine, and the time from the commit of
 * an event to the arrival of the request, on Node and on Bun over PostgreSQL.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import { Effect, Fiber, Layer, Redacted } from "effect"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as SecretBox from "../../adapters/crypto/SecretBox.ts"
import { layerServer } from "../../adapters/postgres/index.ts"
import { NotificationStore } from "../../core/ports/NotificationStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"
import type { EmailEvent } from "../../core/model/EmailEvent.ts"
import { Ids } from "../../core/kernel/Ids.ts"
import { WebhookWakeups } from "../../core/webhooks/WebhookWakeups.ts"
import { Notifications } from "../../core/webhooks/Notifications.ts"
import { SigningKeys } from "../../core/webhooks/SigningKeys.ts"
import type { NewNotification, WebhookRef } from "../../core/model/Webhook.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freshFolder, type Runtime, startServer } from "../support/serverProcess.ts"
import { median, rounds } from "./measure.ts"

const samples = Number(process.env["BENCH_SAMPLES"] ?? 300)
/** The number of notifications for measuring throughput. */
const amount = Number(process.env["BENCH_AMOUNT"] ?? 10_000)
const perAccount = 20
/** The load while latency is measured: events about which 20 webhooks are notified. */
const noiseMillis = 40

const quantile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN

/** A receiver that responds with 204 at once, and reports the id of each notification. */
const startReceiver = async () => {
  let heard: (id: string) => void = () => {}
  const server = createServer((request, response) => {
    heard(String(request.headers["webhook-id"]))
    request.resume().once("end", () => response.writeHead(204).end())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    listen: (to: (id: string) => void) => {
      heard = to
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** Measures and prints the results. */
export const benchWebhooks = async (): Promise<void> => {
  const database = await startPostgresServer()
  const folder = await freshFolder()
  const receiver = await startReceiver()
  const secretKey = randomBytes(32)

  const measure = Effect.gen(function* () {
    const ids = yield* Ids
    const keys = yield* SigningKeys
    const notifications = yield* NotificationStore
    const webhooks = yield* WebhookStore
    const transaction = yield* Transaction
    const { create: notify } = yield* Notifications
    const { schedule: scheduleWakeups } = yield* WebhookWakeups

    const makeWebhooks = Effect.fnUntraced(function* (count: number) {
      const refs: Array<WebhookRef> = []
      let accountId = ""
      for (const [index, webhookId] of (yield* ids.many(count)).entries()) {
        if (index % perAccount === 0) accountId = yield* ids.next
        const ref = { accountId, webhookId }
        const { sealed } = yield* keys.make(ref)
        yield* webhooks.insert(
          {
            id: webhookId,
            accountId,
            url: receiver.url,
            events: [],
            fields: [],
            description: null,
            secrets: [{ sealed, until: null }],
            status: "Active",
            stoppedReason: null,
            failuresInARow: 0,
            createdAt: Date.now()
          },
          perAccount
        )
        refs.push(ref)
      }
      return refs
    })

    /** Measures notifications that are due at the same time, from that time to the arrival of the last one. */
    const throughput = Effect.fnUntraced(function* (refs: ReadonlyArray<WebhookRef>) {
      const due = Date.now() + 4000
      const left = new Set<string>()
      for (let from = 0; from < amount; from += 1000) {
        const newIds = yield* ids.many(Math.min(1000, amount - from))
        const made = newIds.map((id, index): NewNotification => {
          left.add(id)
          const body = JSON.stringify({ id, type: "webhook.test", data: { reason: "x".repeat(150) } })
          const ref = refs[(from + index) % refs.length]!
          return { id, ...ref, type: "webhook.test", deliveryId: null, body, createdAt: due }
        })
        yield* transaction.run(
          Effect.andThen(
            notifications.insert(made),
            scheduleWakeups(made.map((one) => ({ ...one, at: due })))
          )
        )
      }
      const spent = Date.now() - due
      if (spent > 0) console.log(`  (filled ${spent} ms late)`)
      const ended = yield* Effect.promise(
        () =>
          new Promise<number>((resolve) => {
            receiver.listen((id) => {
              left.delete(id)
              if (left.size === 0) resolve(Date.now())
            })
          })
      )
      yield* Effect.sleep(500)
      return amount / ((ended - due) / 1000)
    })

    const contactEvent = Effect.fnUntraced(function* ({ accountId }: WebhookRef) {
      const deliveryId = yield* ids.next
      return {
        accountId,
        deliveryId,
        submissionId: deliveryId,
        type: "email.delivered",
        email: `${deliveryId}@example.org`,
        url: null,
        visitor: null,
        reason: null,
        at: Date.now()
      } satisfies EmailEvent
    })

    /** The time from the commit of an event to the arrival of its notification, in milliseconds. */
    const latencies = Effect.fnUntraced(function* (ref: WebhookRef, background: ReadonlyArray<WebhookRef>) {
      const arrived = new Map<string, number>()
      const state = { over: false }
      let received = 0
      receiver.listen((id) => {
        received++
        arrived.set(id, performance.now())
      })
      const noise = Effect.gen(function* () {
        for (let index = 0; !state.over; index++) {
          yield* transaction.run(notify([yield* contactEvent(background[index % background.length]!)]))
          yield* Effect.sleep(noiseMillis)
        }
      })
      const fiber = yield* Effect.forkChild(background.length > 0 ? noise : Effect.void)
      yield* Effect.sleep(500)
      const from = performance.now()
      const receivedBefore = received
      const all: Array<number> = []
      for (let index = 0; index < samples; index++) {
        const before = new Set(arrived.keys())
        const event = yield* contactEvent(ref)
        yield* transaction.run(notify([event]))
        const committed = performance.now()
        const [id] = yield* Effect.map(notifications.log(ref, { page: 1, pageSize: 1 }), ({ items }) =>
          items.map((item) => item.notificationId)
        )
        while (!arrived.has(id!)) yield* Effect.promise(() => delay(1))
        if (!before.has(id!)) all.push(arrived.get(id!)! - committed)
        yield* Effect.sleep(5)
      }
      const perSecond = (received - receivedBefore) / ((performance.now() - from) / 1000)
      state.over = true
      yield* Fiber.join(fiber)
      yield* Effect.sleep(500)
      return { p50: quantile(all, 0.5), p99: quantile(all, 0.99), perSecond }
    })

    const one = yield* makeWebhooks(1)
    const thousand = yield* makeWebhooks(1000)
    const quiet = yield* makeWebhooks(1)
    const busy = (yield* makeWebhooks(40)).filter((_, index) => index % perAccount === 0)

    for (const runtime of ["node", "bun"] as const satisfies ReadonlyArray<Runtime>) {
      const server = startServer(runtime, folder.path, {
        SVC_STORE: database.url,
        SVC_LOG_LEVEL: "error",
        SVC_WEBHOOK_ALLOW_PRIVATE: "true",
        SVC_SECRET_KEY: secretKey.toString("hex")
      })
      yield* Effect.promise(() => server.ready())
      const measured: Record<string, Array<number>> = { "1 webhook": [], "1,000 webhooks": [] }
      for (let round = 0; round < rounds; round++) {
        measured["1 webhook"]!.push(yield* throughput(one))
        measured["1,000 webhooks"]!.push(yield* throughput(thousand))
      }
      for (const [name, rates] of Object.entries(measured)) {
        console.log(`${`${runtime}, ${name}`.padEnd(44)} ${median(rates).toFixed(0).padStart(7)} /s`)
      }
      for (const [name, background] of [
        ["idle", []],
        ["under load", busy]
      ] as const) {
        const { p50, p99, perSecond } = yield* latencies(quiet[0]!, background)
        console.log(
          `${`${runtime}, ${name}, ${perSecond.toFixed(0)} /s in all`.padEnd(44)} commit to arrival: p50 ${p50.toFixed(1)} ms   p99 ${p99.toFixed(1)} ms`
        )
      }
      server.signal("SIGTERM")
      yield* Effect.promise(() => server.ended)
    }
  })

  try {
    const layer = Layer.mergeAll(Notifications.layer, SigningKeys.layer, WebhookWakeups.layer).pipe(
      Layer.provideMerge(layerServer(Redacted.make(database.url))),
      Layer.provideMerge(SecretBox.layer(secretKey)),
      Layer.provideMerge(Ids.layer),
      Layer.provideMerge(Crypto.layer)
    )
    console.log(`${amount} notifications, ${rounds} rounds, medians; ${samples} samples of latency\n`)
    await Effect.runPromise(Effect.scoped(Effect.provide(measure, layer)))
  } finally {
    receiver.stop()
    await folder.remove()
    await database.remove()
  }
}
