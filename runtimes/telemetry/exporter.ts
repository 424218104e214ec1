/**
 * Exports traces and metrics with OTLP over HTTP, in JSON (opentelemetry.io/docs/specs/otlp). If the collector is slow or
 * unreachable, telemetry is lost, but nothing else is affected: no request waits, and the buffer is limited.
 *
 * @module
 */
import { Effect, Exit, Layer, Metric, Option, References, Tracer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import { OtlpExporter, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import { randomUUID } from "node:crypto"
import { measures } from "../../adapters/http/metrics/Gauges.ts"
import { untraced } from "../../core/shared/Tracing.ts"
import { version } from "../cli/version.ts"

/** The time limit of a request to the collector. */
const answerTime = "3 seconds"
/** The pause after a failed request, in milliseconds. */
const pauseMillis = 5_000
/** The maximum number of requests in progress. Others are dropped. */
const maxUnderWay = 4
/** The maximum number of spans in a request, and in the buffer. */
const maxBatch = 500
/** The maximum length of a string in a span, in characters. Statements may be longer. */
const maxText = 2_000
/** The interval between exports of spans and metrics. */
const spanInterval = "1 second"
const metricInterval = "10 seconds"
/** How long a shutdown waits for the last export, in milliseconds. The process has 9 s in total. */
const lastMillis = 1_000

const dropped = Metric.counter("svc_telemetry_dropped_total", {
  description: "Batches of traces or metrics that the collector did not accept",
  incremental: true
})

/**
 * A client whose requests always succeed. Otherwise Effect's exporter would buffer and retry, and then pause for a minute.
 */
const patientClient = Effect.map(HttpClient.HttpClient, (client) => {
  let underWay = 0
  let pausedUntil = 0
  return HttpClient.make((request) =>
    Effect.clockWith((clock) =>
      Effect.suspend(() => {
        const lost = Effect.as(
          Metric.update(dropped, 1),
          HttpClientResponse.fromWeb(request, new Response(null, { status: 204 }))
        )
        const fail = Effect.suspend(() => {
          const now = clock.currentTimeMillisUnsafe()
          const news = now >= pausedUntil
          pausedUntil = now + pauseMillis
          return news
            ? Effect.andThen(
                Effect.logWarning("The collector of SVC_OTLP_URL is unreachable or rejects telemetry"),
                lost
              )
            : lost
        })
        if (underWay >= maxUnderWay || clock.currentTimeMillisUnsafe() < pausedUntil) return lost
        underWay++
        const sent = client.execute(request).pipe(
          Effect.tap((response) => Effect.ignore(response.arrayBuffer)),
          Effect.timeoutOption(answerTime),
          Effect.exit,
          Effect.ensuring(Effect.sync(() => underWay--))
        )
        return Effect.flatMap(sent, (exit) => {
          if (Exit.isFailure(exit) || Option.isNone(exit.value)) return fail
          const response = exit.value.value
          return response.status >= 200 && response.status < 300 ? Effect.succeed(response) : fail
        })
      })
    )
  )
})

const errorType = "error.type"

/** The status of a span without the message of its error, because messages quote values. */
const outcomeOf = (exit: Exit.Exit<unknown, unknown>, marked: unknown): Exit.Exit<unknown, unknown> => {
  const failed = (name: string) => Exit.fail({ name, message: name, stack: name })
  if (Exit.isSuccess(exit)) return typeof marked === "string" ? failed(marked) : exit
  const reason = exit.cause.reasons.find(({ _tag }) => _tag !== "Interrupt")
  if (reason === undefined) return exit
  const error: unknown = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : null
  if (typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string")
    return failed(error._tag)
  return failed(error instanceof Error ? error.name : "Error")
}

/** Attributes of statements that the driver sets to its own defaults, even if `SVC_STORE` differs. */
const untrue: ReadonlyArray<string> = ["db.namespace", "server.address", "server.port"]
/** The driver's name for the span of a statement, which comes from the same defaults, and the correct name. */
const statement = { given: "postgres", name: "postgresql" }

/** Removes attributes that are confidential or wrong. */
const discreet = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (options) => {
      const isStatement = options.kind === "client" && options.name === statement.given
      const span = tracer.span(isStatement ? { ...options, name: statement.name } : options)
      const end = span.end.bind(span)
      const attribute = span.attribute.bind(span)
      span.end = (time, exit) => end(time, outcomeOf(exit, span.attributes.get(errorType)))
      span.attribute = (key, value) => {
        if (isStatement && untrue.includes(key)) return
        attribute(key, typeof value === "string" ? value.slice(0, maxText) : value)
      }
      return span
    }
  })

/** Updates gauges periodically. Otherwise they are measured only when GET /metrics is called. */
export const collectGauges = Effect.flatMap(measures, (measure) =>
  Effect.forever(Effect.andThen(Effect.ignore(untraced(measure)), Effect.sleep(metricInterval)))
)

/** Disables tracing: no span is created. */
const nothing = Layer.succeed(References.TracerEnabled, false)

/**
 * Exports traces and metrics to `v1/traces` and `v1/metrics` below a collector's base URL. Exports nothing if the URL is null.
 */
export const exporterLayer = (baseUrl: string | null): Layer.Layer<never> => {
  if (baseUrl === null) return nothing
  const base = baseUrl.replace(/(?<!\/)\/+$/, "")
  const resource = {
    serviceName: "svc",
    serviceVersion: version,
    attributes: {
      "service.instance.id": randomUUID(),
      "process.runtime.name": process.versions["bun"] === undefined ? "nodejs" : "bun"
    }
  }
  const common = { resource, shutdownTimeout: lastMillis }
  const traces = OtlpTracer.make({
    ...common,
    url: `${base}/v1/traces`,
    exportInterval: spanInterval,
    maxBatchSize: maxBatch
  })
  return Layer.effect(Tracer.Tracer, Effect.map(traces, discreet)).pipe(
    Layer.provideMerge(
      OtlpMetrics.layer({ ...common, url: `${base}/v1/metrics`, exportInterval: metricInterval })
    ),
    Layer.provide(OtlpExporter.layerFlusher),
    Layer.provide(OtlpSerialization.layerJson),
    Layer.provide(Layer.effect(HttpClient.HttpClient, patientClient)),
    Layer.provide(FetchHttpClient.layer)
  )
}
