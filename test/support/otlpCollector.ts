/**
 * A collector of traces and metrics: an HTTP server that receives OTLP as JSON and stores it.
 *
 * @module
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { eventually } from "./client.ts"

/** An attribute value in OTLP's JSON. */
interface AnyValue {
  readonly stringValue?: string
  readonly intValue?: number | string
  readonly doubleValue?: number
  readonly boolValue?: boolean
}

interface KeyValue {
  readonly key: string
  readonly value: AnyValue
}

interface TraceRequest {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<KeyValue> }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<SentSpan> }>
  }>
}

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<KeyValue>
  readonly status: { readonly code: number; readonly message?: string }
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
}

/** A received span. */
export interface CollectedSpan extends Omit<SentSpan, "attributes"> {
  readonly attributes: Readonly<Record<string, unknown>>
  /** The attributes of the resource that sent it. */
  readonly resource: Readonly<Record<string, unknown>>
}

/** How the collector responds: with a status, or not at all. */
export type CollectorAnswer = number | "hang"

export interface OtlpCollector {
  /** In the format of `SVC_OTLP_URL`. */
  readonly url: string
  /** The spans so far, in order of arrival. */
  readonly spans: () => ReadonlyArray<CollectedSpan>
  /** Waits for a span that satisfies a condition, and returns the first one. */
  readonly span: (is: (span: CollectedSpan) => boolean) => Promise<CollectedSpan>
  /** The names of the metrics so far. */
  readonly metrics: () => ReadonlySet<string>
  /** Every raw body so far. */
  readonly everything: () => string
  /** Sets the response from now on; 200 by default. */
  readonly answer: (answer: CollectorAnswer) => void
  readonly stop: () => Promise<void>
}

const valueOf = ({ boolValue, doubleValue, intValue, stringValue }: AnyValue): unknown =>
  stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue))

const recordOf = (attributes: ReadonlyArray<KeyValue>): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]))

const spansOf = ({ resourceSpans }: TraceRequest): ReadonlyArray<CollectedSpan> =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: recordOf(span.attributes),
        resource: recordOf(resource.attributes)
      }))
    )
  )

/** Starts a collector on a free port of 127.0.0.1. */
export const startOtlpCollector = async (): Promise<OtlpCollector> => {
  const bodies: Array<string> = []
  const spans: Array<CollectedSpan> = []
  const metrics = new Set<string>()
  let answer: CollectorAnswer = 200
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      if (answer === "hang") return
      const body = Buffer.concat(chunks).toString("utf8")
      bodies.push(body)
      if (request.url === "/v1/traces") spans.push(...spansOf(JSON.parse(body) as TraceRequest))
      if (request.url === "/v1/metrics") {
        for (const [, name] of body.matchAll(/"name":"(\w+)"/g)) metrics.add(name!)
      }
      response.writeHead(answer, { "content-type": "application/json" }).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => [...spans],
    span: async (is) => {
      const { span } = await eventually(
        () => Promise.resolve({ span: spans.find(is), names: new Set(spans.map(({ name }) => name)) }),
        (found) => found.span !== undefined
      )
      return span!
    },
    metrics: () => metrics,
    everything: () => bodies.join("\n"),
    answer: (next) => {
      answer = next
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
