/**
 * Spans and metrics of requests, following OpenTelemetry's semantic conventions for HTTP. They are named by the route's
 * template and contain nothing that a client sent.
 *
 * @module
 */
import { Clock, Effect, Metric } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { inSpan, parseTraceparent } from "../../../core/shared/Tracing.ts"

const requests = Metric.counter("svc_http_requests_total", {
  description: "HTTP requests",
  incremental: true
})
const seconds = Metric.histogram("svc_http_request_duration_seconds", {
  description: "Duration of an HTTP request",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

/** Routes without spans, because machines request them every few seconds. */
const untraced: ReadonlyArray<string> = ["/health/live", "/health/ready", "/metrics"]

/** The methods of RFC 9110 and RFC 5789. Any other is reported as `_OTHER`. */
const methods: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "CONNECT",
  "TRACE"
])

/** The name of a method in metrics and spans. */
export const methodName = (method: string): string => (methods.has(method) ? method : "_OTHER")

/**
 * Makes a function that counts a route's requests and measures their durations. It keeps the metric of each method and
 * status, because Effect computes the key of a metric with attributes each time from its labels.
 *
 * @param route the route's template; `unknown` if no route matched
 */
export const makeCountRequest = (route = "unknown") => {
  const counters = new Map<string, Metric.Counter<number>>()
  const duration = Metric.withAttributes(seconds, { route })
  const counterOf = (method: string, status: string) => {
    const key = `${method} ${status}`
    const counter = counters.get(key) ?? Metric.withAttributes(requests, { method, route, status })
    counters.set(key, counter)
    return counter
  }
  /** `started` is the monotonic clock's time at the start of the request, in nanoseconds. */
  return (method: string, status: number, started: bigint): Effect.Effect<void> =>
    Effect.withFiber((fiber) => {
      const clock = fiber.getRef(Clock.Clock)
      const spent = Number(clock.monotonicTimeNanosUnsafe() - started) / 1e9
      counterOf(methodName(method), String(status)).updateUnsafe(1, fiber.context)
      duration.updateUnsafe(spent, fiber.context)
      return Effect.void
    })
}

/**
 * Runs a request in a span, a child of the span that the client's `traceparent` header names.
 *
 * @param route the route's template; undefined if no route matched
 */
export const inRequestSpan = (
  request: HttpServerRequest.HttpServerRequest,
  route: string | undefined,
  responded: Effect.Effect<HttpServerResponse.HttpServerResponse>
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (route !== undefined && untraced.includes(route)) return Effect.withTracerEnabled(responded, false)
  const method = methodName(request.method)
  const parent = parseTraceparent(request.headers["traceparent"] ?? "")
  return inSpan(
    route === undefined ? method : `${method} ${route}`,
    {
      kind: "server",
      ...(parent === null ? { root: true } : { parent }),
      attributes: {
        "http.request.method": method,
        ...(route === undefined ? {} : { "http.route": route })
      }
    },
    responded,
    (span, { status }) => {
      span.attribute("http.response.status_code", status)
      if (status >= 500) span.attribute("error.type", String(status))
    }
  )
}
