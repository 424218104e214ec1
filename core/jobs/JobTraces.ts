/**
 * Continues traces in jobs: a job's payload contains the span that enqueued it, and the job's work becomes part of that trace.
 *
 * @module
 */
import { Clock, Effect, Tracer } from "effect"
import type { Job, NewJob, Queue } from "../ports/JobQueue.ts"
import { currentTraceparent, inSpan, isTracing, parseTraceparent } from "../shared/Tracing.ts"

/** The field of a payload that contains the span. Definitions of jobs ignore it. */
const field = "traceparent"

/** The most links from a batch to the spans that enqueued its jobs. */
const maxLinks = 32

const isRecord = (payload: unknown): payload is Readonly<Record<string, unknown>> =>
  typeof payload === "object" && payload !== null && !Array.isArray(payload)

/** Adds the current span to the payloads of jobs; returns them unchanged if tracing is off. */
export const carryTrace = (jobs: ReadonlyArray<NewJob>): Effect.Effect<ReadonlyArray<NewJob>> =>
  Effect.map(currentTraceparent, (made) =>
    made === null
      ? jobs
      : jobs.map((job) =>
          isRecord(job.payload) ? { ...job, payload: { ...job.payload, [field]: made } } : job
        )
  )

/** The span that enqueued a job; null if it was enqueued without tracing. */
export const originOf = ({ payload }: Job): Tracer.ExternalSpan | null => {
  const made = isRecord(payload) ? payload[field] : null
  return typeof made === "string" ? parseTraceparent(made) : null
}

const linksOf = (jobs: ReadonlyArray<Job>): ReadonlyArray<Tracer.SpanLink> => {
  const links = new Map<string, Tracer.SpanLink>()
  for (const job of jobs) {
    if (links.size === maxLinks) break
    const span = originOf(job)
    if (span !== null) links.set(span.spanId, { span, attributes: {} })
  }
  return [...links.values()]
}

/** Attributes named by OpenTelemetry's semantic conventions for messaging. */
const attributesOf = (queue: Queue, count: number) => ({
  "messaging.system": "svc",
  "messaging.destination.name": queue,
  "messaging.operation.type": "process",
  "messaging.batch.message_count": count
})

/** Handles a claimed batch in a span with links to the spans that enqueued its jobs. `claimedAt` is when the claim began. */
export const inBatchSpan = Effect.fnUntraced(function* <A, E, R>(
  queue: Queue,
  jobs: ReadonlyArray<Job>,
  claimedAt: number,
  handle: Effect.Effect<A, E, R>
) {
  if (!(yield* isTracing)) return yield* handle
  const now = yield* Clock.currentTimeMillis
  const attributes = { ...attributesOf(queue, jobs.length), "svc.claim_ms": now - claimedAt }
  const links = linksOf(jobs)
  return yield* inSpan(`process ${queue}`, { kind: "consumer", root: true, links, attributes }, handle)
})

/** Runs one job of a batch in the trace that enqueued it, with a link to the batch. */
export const inJobSpan = <A, E, R>(job: Job, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const origin = originOf(job)
    const batch = fiber.cache.span
    const attributes = { ...attributesOf(job.queue, 1), "svc.job.attempt": job.attempts }
    if (origin === null) return inSpan(`process ${job.queue} job`, { kind: "consumer", attributes }, work)
    const links = batch === undefined ? [] : [{ span: batch, attributes: {} }]
    return inSpan(`process ${job.queue} job`, { kind: "consumer", parent: origin, links, attributes }, work)
  })
