/**
 * Measures the queues, the database and the process when metrics are requested.
 *
 * @module
 */
import { Clock, Effect, Metric } from "effect"
import { JobQueue } from "../../../core/ports/JobQueue.ts"
import { StorageHealth } from "../../../core/ports/StorageHealth.ts"

const pending = Metric.gauge("svc_jobs_pending", { description: "Jobs that wait or run" })
const buried = Metric.gauge("svc_jobs_buried", { description: "Jobs that were buried" })
const overdue = Metric.gauge("svc_jobs_overdue_seconds", {
  description: "How long the oldest job that is due has waited"
})
const storePing = Metric.gauge("svc_store_ping_seconds", {
  description: "Time of a trivial database query, made at each scrape"
})
// The names of Prometheus's own client libraries.
const memory = Metric.gauge("process_resident_memory_bytes", { description: "Resident memory size in bytes" })
const cpu = Metric.counter("process_cpu_seconds_total", {
  description: "Total user and system CPU time spent in seconds",
  incremental: true
})
const startTime = Metric.gauge("process_start_time_seconds", {
  description: "Start time of the process since the Unix epoch in seconds"
})

let countedCpu = 0

/** Measures the process. */
const measureProcess = Effect.gen(function* () {
  const { system, user } = process.cpuUsage()
  const spent = (user + system) / 1e6
  const since = spent - countedCpu
  countedCpu = spent
  yield* Metric.update(memory, process.memoryUsage.rss())
  yield* Metric.update(cpu, since)
  yield* Metric.update(startTime, Math.round(performance.timeOrigin) / 1000)
})

/** An effect that updates the gauges; `Unavailable` while the database is unavailable. */
export const measures = Effect.gen(function* () {
  const health = yield* StorageHealth
  const jobs = yield* JobQueue
  return Effect.gen(function* () {
    yield* measureProcess
    const clock = yield* Clock.clockWith(Effect.succeed)
    const asked = clock.monotonicTimeNanosUnsafe()
    yield* health.ping
    yield* Metric.update(storePing, Number(clock.monotonicTimeNanosUnsafe() - asked) / 1e9)
    const now = clock.currentTimeMillisUnsafe()
    for (const depth of yield* jobs.depth) {
      const labels = { queue: depth.queue }
      yield* Metric.update(Metric.withAttributes(pending, labels), depth.pending)
      yield* Metric.update(Metric.withAttributes(buried, labels), depth.buried)
      const waited = depth.nextRunAt === null ? 0 : Math.max(0, now - depth.nextRunAt)
      yield* Metric.update(Metric.withAttributes(overdue, labels), waited / 1000)
    }
  })
})
