/**
 * Measures the process, the queues, and what the database holds of all accounts when metrics are requested.
 *
 * @module
 */
import { Clock, Effect, Metric, Option } from "effect"
import { DomainStore } from "../../../core/ports/DomainStore.ts"
import { JobQueue } from "../../../core/ports/JobQueue.ts"
import { relayStates } from "../../../core/model/MailRelay.ts"
import { RelayStore } from "../../../core/ports/RelayStore.ts"
import { Partitions } from "../../../core/ports/Partitions.ts"
import { StorageHealth } from "../../../core/ports/StorageHealth.ts"
import { StandingStore } from "../../../core/ports/StandingStore.ts"
import { WebhookStore } from "../../../core/ports/WebhookStore.ts"
import { HeldBodies, UnknownBodies } from "../edge/BodyReader.ts"
import { measureProcess } from "./ProcessGauges.ts"

const pending = Metric.gauge("svc_jobs_pending", { description: "Jobs that wait or run" })
const buried = Metric.gauge("svc_jobs_buried", { description: "Jobs that were buried" })
const overdue = Metric.gauge("svc_jobs_overdue_seconds", {
  description: "How long the oldest job that is due has waited"
})
const storePing = Metric.gauge("svc_store_ping_seconds", {
  description: "Time of a trivial database query, made at each scrape"
})
const storeSize = Metric.gauge("svc_store_size_bytes", {
  description: "Size of the database with its indexes"
})
const partitionDays = Metric.gauge("svc_partitions_days", {
  description: "Days until the last partition of months ends"
})
const domains = Metric.gauge("svc_domains", { description: "Sending domains of all accounts, by status" })
const bodyBytes = Metric.gauge("svc_body_bytes", {
  description: "Bytes of request bodies that are held, by whether the caller is authenticated"
})
const webhooks = Metric.gauge("svc_webhooks", { description: "Webhooks of all accounts, by status" })

const standings = Metric.gauge("svc_standing_accounts", {
  description: "Accounts whose standing is not good, by state"
})

const relays = Metric.gauge("svc_relays", { description: "Relays of companies and of the installation, by state" })

/** An effect that updates the gauges; `Unavailable` while the database is unavailable. */
export const measures = Effect.gen(function* () {
  const health = yield* StorageHealth
  const jobs = yield* JobQueue
  const partitions = yield* Partitions
  const domainStore = yield* DomainStore
  const webhookStore = yield* WebhookStore
  const standingStore = yield* StandingStore
  const relayStore = yield* RelayStore
  return Effect.gen(function* () {
    yield* measureProcess
    yield* Metric.update(Metric.withAttributes(bodyBytes, { caller: "known" }), (yield* HeldBodies).total)
    const unknown = yield* Effect.serviceOption(UnknownBodies)
    const held = Option.match(unknown, { onNone: () => 0, onSome: ({ total }) => total })
    yield* Metric.update(Metric.withAttributes(bodyBytes, { caller: "unknown" }), held)
    const clock = yield* Clock.clockWith(Effect.succeed)
    const asked = clock.monotonicTimeNanosUnsafe()
    yield* health.ping
    yield* Metric.update(storePing, Number(clock.monotonicTimeNanosUnsafe() - asked) / 1e9)
    const size = yield* health.size
    if (size !== null) yield* Metric.update(storeSize, size)
    yield* setByStatus(domains, yield* domainStore.counts)
    yield* setByStatus(webhooks, yield* webhookStore.counts)
    for (const [state, count] of Object.entries(yield* standingStore.count)) {
      yield* Metric.update(Metric.withAttributes(standings, { state }), count)
    }
    const found = yield* relayStore.all
    for (const state of relayStates) {
      const count = found.filter((relay) => relay.state === state).length
      yield* Metric.update(Metric.withAttributes(relays, { state }), count)
    }
    const now = clock.currentTimeMillisUnsafe()
    for (const { name, until } of yield* partitions.tables) {
      yield* Metric.update(Metric.withAttributes(partitionDays, { table: name }), (until - now) / 86_400_000)
    }
    for (const depth of yield* jobs.depth) {
      const labels = { queue: depth.queue }
      yield* Metric.update(Metric.withAttributes(pending, labels), depth.pending)
      yield* Metric.update(Metric.withAttributes(buried, labels), depth.buried)
      const waited = depth.nextRunAt === null ? 0 : Math.max(0, now - depth.nextRunAt)
      yield* Metric.update(Metric.withAttributes(overdue, labels), waited / 1000)
    }
  })
})

/** Sets a gauge with the label `status` to counts. */
const setByStatus = (
  gauge: Metric.Gauge<number>,
  counts: Readonly<Record<string, number>>
): Effect.Effect<void> =>
  Effect.forEach(
    Object.entries(counts),
    ([status, count]) => Metric.update(Metric.withAttributes(gauge, { status }), count),
    { discard: true }
  )
