/**
 * Measures the process, the queues, and the data of all accounts in the database whenever metrics are requested.
 *
 * @module
 */
import { Clock, Effect, Metric, Option } from "effect"
import { DomainStore } from "../../../core/ports/DomainStore.ts"
import { JobQueue } from "../../../core/ports/JobQueue.ts"
import { heldReasons } from "../../../core/model/DeliveryStatus.ts"
import { newLane, widthAt } from "../../../core/model/Lane.ts"
import { relayStates } from "../../../core/model/MailRelay.ts"
import { nodeGoneAfter } from "../../../core/model/Node.ts"
import { sourceStates } from "../../../core/model/Source.ts"
import { NodeStore } from "../../../core/ports/NodeStore.ts"
import { RelayStore } from "../../../core/ports/RelayStore.ts"
import { Partitions } from "../../../core/ports/Partitions.ts"
import { ShapingStore } from "../../../core/ports/ShapingStore.ts"
import { SourceStore } from "../../../core/ports/SourceStore.ts"
import { StorageHealth } from "../../../core/ports/StorageHealth.ts"
import { StandingStore } from "../../../core/ports/StandingStore.ts"
import { SubmissionStore } from "../../../core/ports/SubmissionStore.ts"
import { WebhookStore } from "../../../core/ports/WebhookStore.ts"
import { KnownProviders } from "../../../core/sending/shaping/Providers.ts"
import { conditionOf } from "../../../core/sending/sources/SourceRules.ts"
import { maxPageSize, readAll } from "../../../core/shared/Page.ts"
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

const suspended = Metric.gauge("svc_shaping_paused", {
  description: "Lanes to which no mail is sent, by provider"
})
const held = Metric.gauge("svc_shaping_held", {
  description: "Recipients whose email is held by suspensions, by provider and reason"
})
const heldFor = Metric.gauge("svc_shaping_held_seconds", {
  description: "How long the first of them has been held, by provider"
})

const width = Metric.gauge("svc_shaping_width", {
  description: "Connections that all processes together may have to a provider, as they have learned"
})

/** Gauges of held mail, and of the rates that lanes have learned. Every provider has gauges, so that they can return to 0. */
const makeShapingMeasures = Effect.gen(function* () {
  const store = yield* ShapingStore
  const submissions = yield* SubmissionStore
  const table = yield* KnownProviders
  const providerOf = (lane: string) => table.ofLane(lane)?.key ?? "other"
  const providers = ["other", ...table.entries.flatMap(({ key, mx }) => (mx.length === 0 ? [] : [key]))]
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const open = { is: true, at: now }
    const suspensions = yield* readAll((request) => store.page(request, { open, ofAll: true }))
    const counts = yield* submissions.countHeld((yield* submissions.heldLanes(1)).map(({ lane }) => lane))
    const lanes = yield* store.lanes({ page: 1, pageSize: maxPageSize }, { lane: providers })
    const learned = new Map(lanes.items.map((row) => [row.lane, row]))
    for (const provider of providers) {
      const own = counts.filter(({ lane }) => providerOf(lane) === provider)
      const paused = suspensions.filter(({ lane }) => providerOf(lane) === provider)
      const since = Math.min(now, ...own.flatMap((one) => one.since ?? []))
      yield* Metric.update(Metric.withAttributes(suspended, { provider }), paused.length)
      for (const reason of heldReasons)
        yield* Metric.update(
          Metric.withAttributes(held, { provider, reason }),
          own.reduce((sum, one) => (one.reason === reason ? sum + one.count : sum), 0)
        )
      yield* Metric.update(Metric.withAttributes(heldFor, { provider }), (now - since) / 1000)
      const entry = table.withKey(provider)
      if (entry === null || entry.perSite === true) continue
      const shared = learned.get(provider)
      const { maxWidth, startWidth } = table.rules(entry, shared?.override ?? null)
      const bounds = { startLimit: startWidth, maxLimit: maxWidth }
      yield* Metric.update(
        Metric.withAttributes(width, { provider }),
        widthAt(shared ?? newLane(bounds), bounds, now)
      )
    }
  })
})
const sources = Metric.gauge("svc_sources", {
  description: "Addresses that mail leaves from, by state"
})
const warmUpDay = Metric.gauge("svc_source_warmup_day", {
  description: "The day of the plan of sources that are warmed up; 0 for those that are not"
})

/** Gauges of the states of sources. Every state has a gauge, so that it can return to 0. */
const makeSourceMeasures = Effect.gen(function* () {
  const store = yield* SourceStore
  const nodes = yield* NodeStore
  return Effect.gen(function* () {
    const known = yield* store.all
    const since = (yield* Clock.currentTimeMillis) - nodeGoneAfter
    const present =
      known.sources.length === 0
        ? []
        : (yield* nodes.list({ since }, { page: 1, pageSize: maxPageSize })).items
    const addresses = new Set(present.flatMap((node) => node.addresses))
    const states = known.sources.map((source) => conditionOf(source, addresses).state)
    for (const state of sourceStates) {
      const count = states.filter((one) => one === state).length
      yield* Metric.update(Metric.withAttributes(sources, { state }), count)
    }
    for (const { address, warmUp } of known.sources)
      yield* Metric.update(Metric.withAttributes(warmUpDay, { source: address }), warmUp?.day ?? 0)
  })
})

const relays = Metric.gauge("svc_relays", {
  description: "Relays of companies and of the installation, by state"
})

/** An effect that updates the gauges. Fails with `Unavailable` while the database is unavailable. */
export const measures = Effect.gen(function* () {
  const health = yield* StorageHealth
  const jobs = yield* JobQueue
  const partitions = yield* Partitions
  const domainStore = yield* DomainStore
  const webhookStore = yield* WebhookStore
  const standingStore = yield* StandingStore
  const measureShaping = yield* makeShapingMeasures
  const measureSources = yield* makeSourceMeasures
  const relayStore = yield* RelayStore
  return Effect.gen(function* () {
    yield* measureProcess
    yield* Metric.update(Metric.withAttributes(bodyBytes, { caller: "known" }), (yield* HeldBodies).total)
    const unknown = yield* Effect.serviceOption(UnknownBodies)
    const ofUnknown = Option.match(unknown, { onNone: () => 0, onSome: ({ total }) => total })
    yield* Metric.update(Metric.withAttributes(bodyBytes, { caller: "unknown" }), ofUnknown)
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
    yield* measureShaping
    yield* measureSources
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

/** Sets a gauge to counts, with the label `status`. */
const setByStatus = (
  gauge: Metric.Gauge<number>,
  counts: Readonly<Record<string, number>>
): Effect.Effect<void> =>
  Effect.forEach(
    Object.entries(counts),
    ([status, count]) => Metric.update(Metric.withAttributes(gauge, { status }), count),
    { discard: true }
  )
