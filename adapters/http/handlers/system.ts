/**
 * Handlers of health and metrics.
 *
 * @module
 */
import { Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { JobQueue } from "../../../core/ports/JobQueue.ts"
import { StoreHealth } from "../../../core/ports/StoreHealth.ts"
import { SystemApi } from "../api/SystemApi.ts"
import { within } from "../Deadline.ts"
import { bind, document, ok } from "../Route.ts"

/** A store that takes longer to answer a trivial question is not ready, in milliseconds. */
const readyMillis = 2000

const pending = Metric.gauge("svc_jobs_pending", { description: "Jobs that wait or are being worked on" })
const buried = Metric.gauge("svc_jobs_buried", { description: "Jobs given up on" })

/** Health and metrics. */
export const systemRoutes = Effect.gen(function* () {
  const health = yield* StoreHealth
  const jobs = yield* JobQueue
  const fine = ok({ status: "ok" as const })
  return bind(SystemApi.groups.system, {
    live: () => Effect.succeed(fine),
    ready: () => Effect.as(within(readyMillis, health.ping), fine),
    metrics: Effect.fnUntraced(function* () {
      for (const depth of yield* jobs.depth) {
        const labels = { queue: depth.queue }
        yield* Metric.update(Metric.withAttributes(pending, labels), depth.pending)
        yield* Metric.update(Metric.withAttributes(buried, labels), depth.buried)
      }
      return document("text/plain; version=0.0.4; charset=utf-8", yield* PrometheusMetrics.format())
    })
  })
})
