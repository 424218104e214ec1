/**
 * Measures the process whenever metrics are requested: memory, processor time, and the delay of the event loop.
 *
 * @module
 */
import { Effect, Metric } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"

// The names are those of Prometheus's own client libraries where they have one.
const memory = Metric.gauge("process_resident_memory_bytes", { description: "Resident memory size in bytes" })
const cpu = Metric.counter("process_cpu_seconds_total", {
  description: "Total user and system CPU time spent in seconds",
  incremental: true
})
const startTime = Metric.gauge("process_start_time_seconds", {
  description: "Start time of the process since the Unix epoch in seconds"
})
const heap = Metric.gauge("svc_heap_used_bytes", { description: "Memory that JavaScript objects use" })
const heapLimit = Metric.gauge("svc_heap_limit_bytes", {
  description: "The most memory that JavaScript objects may use"
})
const external = Metric.gauge("svc_external_memory_bytes", {
  description: "Memory of buffers and of objects outside the JavaScript heap"
})
const loopDelay = Metric.gauge("svc_event_loop_delay_seconds", {
  description: "How late the event loop ran its timers since the previous scrape, by quantile"
})

/** The interval between two samples of the event loop, in milliseconds. */
const resolution = 20

/** Node measures the whole interval between two samples, Bun only the part beyond the resolution. */
const expected = process.versions["bun"] === undefined ? resolution : 0

const quantiles = [0.5, 0.99, 1]

let countedCpu = 0
type Delays = ReturnType<typeof monitorEventLoopDelay>

let delays: Delays | null = null

/** Starts measuring the event loop, once. The measurement does not keep the process alive. */
const watchLoop = (): Delays => {
  if (delays === null) {
    delays = monitorEventLoopDelay({ resolution })
    delays.enable()
  }
  return delays
}

/** Updates the gauges of the process. */
export const measureProcess = Effect.gen(function* () {
  const { system, user } = process.cpuUsage()
  const spent = (user + system) / 1e6
  const since = spent - countedCpu
  countedCpu = spent
  const usage = process.memoryUsage()
  yield* Metric.update(memory, usage.rss)
  yield* Metric.update(cpu, since)
  yield* Metric.update(startTime, Math.round(performance.timeOrigin) / 1000)
  yield* Metric.update(heap, usage.heapUsed)
  yield* Metric.update(heapLimit, getHeapStatistics().heap_size_limit)
  yield* Metric.update(external, usage.external)
  const loop = watchLoop()
  for (const quantile of quantiles) {
    const millis = loop.count === 0 ? expected : loop.percentile(quantile * 100) / 1e6
    const labels = { quantile: String(quantile) }
    yield* Metric.update(Metric.withAttributes(loopDelay, labels), Math.max(0, millis - expected) / 1000)
  }
  loop.reset()
})
