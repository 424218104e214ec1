/**
 * Spans of requests, by OpenTelemetry's semantic conventions for HTTP: named by the route's template, never by what was
 * asked for, and without anything a client sent.
 *
 * @module
 */
import { Effect } from "effect"
import { inSpan, parseTraceparent } from "../../../core/shared/Tracing.ts"
import type { HttpRequest, Reply } from "./HttpRequest.ts"

/** Asked for every few seconds by machines: no news. */
const untold: ReadonlyArray<string> = ["/health/live", "/health/ready", "/metrics"]

/** Methods of RFC 9110 and RFC 5789; whatever else a client makes up is one of many (`_OTHER`). */
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

/** A method as metrics and spans name it: one of few. */
export const methodName = (method: string): string => (methods.has(method) ? method : "_OTHER")

/**
 * Answers a request in a span, which goes on the trace that the client's `traceparent` names.
 *
 * @param route the route's template; undefined where there is none
 */
export const inRequestSpan = (
  exchange: HttpRequest,
  route: string | undefined,
  answer: Effect.Effect<Reply>
): Effect.Effect<Reply> => {
  if (route !== undefined && untold.includes(route)) return Effect.withTracerEnabled(answer, false)
  const method = methodName(exchange.method)
  const parent = parseTraceparent(exchange.header("traceparent") ?? "")
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
    answer,
    (span, { status }) => {
      span.attribute("http.response.status_code", status)
      if (status >= 500) span.attribute("error.type", String(status))
    }
  )
}
