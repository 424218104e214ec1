/**
 * Spans for tracing. Without a configured exporter none are created, at no cost. A span contains names, numbers and the service's
 * own ids, never data of a person or a request.
 *
 * @module
 */
import { Effect, type Fiber, References, Tracer } from "effect"

const tracesOn = <A, E>(fiber: Fiber.Fiber<A, E>): boolean =>
  fiber.cache.tracerEnabled && fiber.cache.tracer !== undefined && fiber.cache.tracer !== Tracer.nativeTracer

/** Whether spans are exported. */
export const isTracing: Effect.Effect<boolean> = Effect.withFiber((fiber) => Effect.succeed(tracesOn(fiber)))

/**
 * Runs an effect in a new span, or without one if tracing is off. After a success, the attributes that `describe` returns are
 * added to the span; `error.type` among them marks it as a failure.
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

/** Runs an effect without spans, such as polling for work. */
export const untraced = Effect.provideService(References.TracerEnabled, false)

/** The current span as a `traceparent` (W3C Trace Context, 3.2); null if tracing is off. */
export const currentTraceparent: Effect.Effect<string | null> = Effect.withFiber((fiber) => {
  const { span } = fiber.cache
  return Effect.succeed(
    span === undefined || !tracesOn(fiber)
      ? null
      : `00-${span.traceId.padStart(32, "0")}-${span.spanId}-${span.sampled ? "01" : "00"}`
  )
})

const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/**
 * The span of a `traceparent`; null if it is invalid. In later versions of the format, only the fields of this version are read.
 */
export const parseTraceparent = (text: string): Tracer.ExternalSpan | null => {
  const [, traceId, spanId, flags, more] = traceparent.exec(text) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  if (more !== undefined && text.startsWith("00")) return null
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 })
}
