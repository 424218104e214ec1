/**
 * Spans: what was done, in which order and for how long. Made only while somebody asked to be told, and free of charge
 * otherwise. A span holds names, numbers and ids of our own; never what a person or a program sent.
 *
 * @module
 */
import { Effect, type Fiber, References, Tracer } from "effect"

const tracesOn = <A, E>(fiber: Fiber.Fiber<A, E>): boolean =>
  fiber.cache.tracerEnabled && fiber.cache.tracer !== undefined && fiber.cache.tracer !== Tracer.nativeTracer

/** Whether spans go anywhere. */
export const isTracing: Effect.Effect<boolean> = Effect.withFiber((fiber) => Effect.succeed(tracesOn(fiber)))

/**
 * Runs an effect in a span of its own, or as it is when nothing is traced. `describe` adds to the span what a success
 * tells; its attribute `error.type` makes it the span of a failure.
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

/** Runs an effect, such as a look whether there is anything to do, without making spans. */
export const untraced = Effect.provideService(References.TracerEnabled, false)

/** The span under way as a `traceparent` says it (W3C Trace Context, 3.2); null when nothing is traced. */
export const currentTraceparent: Effect.Effect<string | null> = Effect.withFiber((fiber) => {
  const { span } = fiber.cache
  return Effect.succeed(
    span === undefined || !tracesOn(fiber)
      ? null
      : `00-${span.traceId.padStart(32, "0")}-${span.spanId}-${span.sampled ? "01" : "00"}`
  )
})

const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** The span that a `traceparent` names; null for what is none. Later versions are read as far as this one goes. */
export const parseTraceparent = (text: string): Tracer.ExternalSpan | null => {
  const [, traceId, spanId, flags, more] = traceparent.exec(text) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  if (more !== undefined && text.startsWith("00")) return null
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 })
}
