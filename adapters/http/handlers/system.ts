/**
 * Handlers of health and metrics.
 *
 * @module
 */
import { Effect } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { StoreHealth } from "../../../core/ports/StoreHealth.ts"
import { SystemApi } from "../api/SystemApi.ts"
import { within } from "../Deadline.ts"
import { measures } from "../Measures.ts"
import { bind, document, ok } from "../Route.ts"

/** A store that takes longer to answer a trivial question is not ready, in milliseconds. */
const readyMillis = 2000

/** Health and metrics. */
export const systemRoutes = Effect.gen(function* () {
  const health = yield* StoreHealth
  const measure = yield* measures
  const fine = ok({ status: "ok" as const })
  return bind(SystemApi.groups.system, {
    live: () => Effect.succeed(fine),
    ready: () => Effect.as(within(readyMillis, health.ping), fine),
    metrics: Effect.fnUntraced(function* () {
      yield* measure
      return document("text/plain; version=0.0.4; charset=utf-8", yield* PrometheusMetrics.format())
    })
  })
})
