/**
 * Spans for tracing. They are made only while an exporter is configured and cost nothing otherwise. A span has names,
 * numbers and the service's own ids, never data of a person or a request.
 *
 * @module
 */
import { Effect, type Fiber, References, Tracer } from "effect"

const tracesOn = <A, E>(fiber: Fiber.Fiber<A, E>): boolean =>
  fiber.cache.tracerEnabled && fiber.cache.tracer !== undefined && fiber.cache.tracer !== Tracer.nativeTracer

/** Whether spans are exported. */
export const isTracing: Effect.Effect<boolean> = Effect.withFiber((fiber) => Effect.succeed(tracesOn(fiber)))

/**
 * Runs an effect in a new span, or without one when tracing is off. `describe` adds attributes of a success to the span;
 * the attribute `error.type` marks it as a failure.
 */
export const inSpan = <A, E, R>(
  name: string,
  options: Tracer.SpanOptionsNoTrace,
  effect: Effect.Effect<A, E, R>,
  describe?: (span: Tracer.Span, value: A) => void
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    tracesOn(fiber)
      ? Effect.useSpan(name, options, (span) => {
          const inside = Effect.provideService(effect, Tracer.ParentSpan, span) as Effect.Effect<A, E, R>
          return describe === undefined
            ? inside
            : Effect.tap(inside, (value) => Effect.sync(() => describe(span, value)))
        })
      : effect
  )

/** Runs an effect, such as a poll for work, without spans. */
export const untraced = Effect.provideService(References.TracerEnabled, false)

/** The current span as a `traceparent` (W3C Trace Context, 3.2); null when tracing is off. */
export const currentTraceparent: Effect.Effect<string | null> = Effect.withFiber((fiber) => {
  const { span } = fiber.cache
  return Effect.succeed(
    span === undefined || !tracesOn(fiber)
      ? null
      : `00-${span.traceId.padStart(32, "0")}-${span.spanId}-${span.sampled ? "01" : "00"}`
  )
})

const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** The span of a `traceparent`; null when it is invalid. Of later versions, the fields of this version are read. */
export const parseTraceparent = (text: string): Tracer.ExternalSpan | null => {
  const [, traceId, spanId, flags, more] = traceparent.exec(text) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  if (more !== undefined && text.startsWith("00")) return null
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 })
}
