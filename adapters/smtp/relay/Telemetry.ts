/**
 * Metrics of the relay, and spans if they are exported. Each connection has a span, the parent of the spans of its logins and
 * messages. None of them contains an IP address, an email address, or anything that a client sent.
 *
 * @module
 */
import { Clock, Context, Effect, Exit, Metric, Option, Tracer } from "effect"
import type { Answer } from "../../../core/relay/Answers.ts"
import { inSpan, isTracing } from "../../../core/shared/Tracing.ts"

const connections = Metric.gauge("svc_relay_connections", {
  description: "Open connections of the SMTP relay"
})
const steps = Metric.counter("svc_relay_steps_total", {
  description: "Logins and messages of the SMTP relay, by the class of their answer",
  incremental: true
})

/** A recorded step of a session: AUTH, MAIL, DATA. */
export type Step = "login" | "mail" | "message"

const describe = (span: Tracer.Span, answer: Answer | null): void => {
  if (answer === null) return
  span.attribute("smtp.response.status_code", answer.code)
  span.attribute("smtp.response.enhanced_status_code", answer.enhanced)
  // Only 4.3.x is an error of the service (RFC 3463, 3.4: the mail system). Others are errors of the client.
  if (answer.enhanced.startsWith("4.3.")) span.attribute("error.type", answer.enhanced)
}

const count = (step: Step, answer: Answer | null): Effect.Effect<void> =>
  Metric.update(
    Metric.withAttributes(steps, { step, class: `${Math.floor((answer?.code ?? 250) / 100)}xx` }),
    1
  )

/** The metrics and spans of one relay. */
export type Telemetry = Effect.Success<typeof makeTelemetry>

/** The telemetry of a relay. It uses the tracer and the clock of the caller. */
export const makeTelemetry = Effect.gen(function* () {
  const tracer = (yield* isTracing) ? yield* Effect.tracer : null
  const clock = yield* Clock.Clock
  const context = yield* Effect.context()
  const spans = new Map<string, Tracer.Span>()

  return {
    /** Records that a connection was opened. */
    opened: (sessionId: string): void => {
      connections.modifyUnsafe(1, context)
      if (tracer === null) return
      const span = tracer.span({
        name: "smtp.session",
        parent: Option.none(),
        annotations: Context.empty(),
        links: [],
        startTime: clock.currentTimeNanosUnsafe(),
        kind: "server",
        root: true,
        sampled: true
      })
      spans.set(sessionId, span)
    },
    /** Records that a connection ended. */
    closed: (sessionId: string): void => {
      connections.modifyUnsafe(-1, context)
      spans.get(sessionId)?.end(clock.currentTimeNanosUnsafe(), Exit.void)
      spans.delete(sessionId)
    },
    /** Runs a step of a connection and records its reply; null stands for success if the server itself replies. */
    step: <E>(sessionId: string, step: Step, effect: Effect.Effect<Answer | null, E>) => {
      const parent = spans.get(sessionId)
      const options = { kind: "server", ...(parent === undefined ? {} : { parent }) } as const
      return Effect.tap(inSpan(`smtp.${step}`, options, effect, describe), (answer) => count(step, answer))
    }
  }
})
