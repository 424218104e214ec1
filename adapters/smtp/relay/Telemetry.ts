/**
 * What is told of the relay's conversations: counts, and spans where they go anywhere. Each connection has a span that
 * those of its logins and messages belong to. Neither holds an address, of the network or of mail, nor anything that
 * was said.
 *
 * @module
 */
import { Context, Effect, Exit, Metric, Option, Tracer } from "effect"
import type { Answer } from "../../../core/relay/Answers.ts"
import { inSpan, isTracing } from "../../../core/shared/Tracing.ts"

const connections = Metric.gauge("svc_relay_connections", {
  description: "Open connections of the SMTP relay"
})
const steps = Metric.counter("svc_relay_steps_total", {
  description: "Logins and messages of the SMTP relay, by the class of their answer",
  incremental: true
})

/** A step of a conversation that is told of: AUTH, MAIL, DATA. */
export type Step = "login" | "mail" | "message"

/** Tells of the conversations of a relay. */
export interface Telemetry {
  /** A connection was made. */
  readonly opened: (sessionId: string) => void
  /** It ended. */
  readonly closed: (sessionId: string) => void
  /** Runs a step of a connection; it answers null where all is well and something else says so. */
  readonly step: <E>(
    sessionId: string,
    step: Step,
    effect: Effect.Effect<Answer | null, E>
  ) => Effect.Effect<Answer | null, E>
}

const describe = (span: Tracer.Span, answer: Answer | null): void => {
  if (answer === null) return
  span.attribute("smtp.response.status_code", answer.code)
  span.attribute("smtp.response.enhanced_status_code", answer.enhanced)
  // What a client does wrong is no error of ours; 4.3.x is (RFC 3463, 3.4: the mail system).
  if (answer.enhanced.startsWith("4.3.")) span.attribute("error.type", answer.enhanced)
}

const count = (step: Step, answer: Answer | null): Effect.Effect<void> =>
  Metric.update(
    Metric.withAttributes(steps, { step, class: `${Math.floor((answer?.code ?? 250) / 100)}xx` }),
    1
  )

/** Makes what tells of a relay. */
export const makeTelemetry: Effect.Effect<Telemetry> = Effect.gen(function* () {
  const context = yield* Effect.context()
  const tracing = yield* isTracing
  const tracer = yield* Effect.tracer
  const now = yield* Effect.clockWith((clock) => Effect.succeed(() => clock.currentTimeNanosUnsafe()))
  const spans = new Map<string, Tracer.Span>()

  return {
    opened: (sessionId) => {
      connections.modifyUnsafe(1, context)
      if (!tracing) return
      const span = tracer.span({
        name: "smtp.session",
        parent: Option.none(),
        annotations: Context.empty(),
        links: [],
        startTime: now(),
        kind: "server",
        root: true,
        sampled: true
      })
      spans.set(sessionId, span)
    },
    closed: (sessionId) => {
      connections.modifyUnsafe(-1, context)
      spans.get(sessionId)?.end(now(), Exit.void)
      spans.delete(sessionId)
    },
    step: (sessionId, step, effect) => {
      const parent = spans.get(sessionId)
      const options = { kind: "server", ...(parent === undefined ? {} : { parent }) } as const
      return Effect.tap(inSpan(`smtp.${step}`, options, effect, describe), (answer) => count(step, answer))
    }
  }
})
