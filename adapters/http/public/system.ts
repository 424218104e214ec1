/**
 * Handles health checks and metrics.
 *
 * @module
 */
import { Effect } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { StorageHealth } from "../../../core/ports/StorageHealth.ts"
import { SystemApi } from "../schema/SystemApi.ts"
import { failAfter } from "../edge/Deadline.ts"
import { document, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { measures } from "../metrics/Gauges.ts"
import { mergeMetrics, OtherProcesses } from "../metrics/Processes.ts"
import { lateAccounts } from "../metrics/LateAccounts.ts"

/** If a trivial query takes longer than this, in milliseconds, the database is not ready. */
const readyMillis = 2000

/** Health and metrics. */
export const systemRoutes = Effect.gen(function* () {
  const health = yield* StorageHealth
  const measure = yield* measures
  const late = yield* lateAccounts
  const others = yield* OtherProcesses
  const fine = ok({ status: "ok" as const })
  return bind(SystemApi.groups.system, {
    live: () => Effect.succeed(fine),
    ready: () => Effect.as(failAfter(readyMillis, health.ping), fine),
    metrics: Effect.fnUntraced(function* () {
      yield* measure
      const text = `${mergeMetrics(yield* PrometheusMetrics.format(), yield* others)}\n${yield* late}`
      return document("text/plain; version=0.0.4; charset=utf-8", text)
    })
  })
})
