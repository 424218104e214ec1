/**
 * Tests of job traces: parsing of `traceparent` (W3C Trace Context), spans in payloads, and no spans without tracing.
 *
 * @module
 */
import { Effect, References, Tracer } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { carryTrace, inBatchSpan, inJobSpan, originOf } from "../../../core/jobs/JobTraces.ts"
import type { Job, NewJob } from "../../../core/ports/JobQueue.ts"
import { currentTraceparent, inSpan, isTracing, parseTraceparent } from "../../../core/shared/Tracing.ts"

const hex = (length: number) =>
  fc
    .string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length })
    .filter((text) => !/^0+$/.test(text))

const job = (payload: NewJob["payload"]): Job => ({
  id: "01890000-0000-7000-8000-000000000001",
  accountId: "01890000-0000-7000-8000-000000000002",
  queue: "deliveries",
  key: null,
  runAt: 0,
  payload,
  attempts: 1,
  lastError: null,
  leasedUntil: 0
})

/** A tracer that keeps its spans. */
const keeping = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, traced: Effect.withTracer(tracer) }
}

describe("a traceparent", () => {
  it("gives its span, in this version and later ones", () => {
    fc.assert(
      fc.property(
        hex(32),
        hex(16),
        fc.integer({ min: 0, max: 255 }),
        fc.boolean(),
        (trace, span, flags, later) => {
          const text = `${later ? "01" : "00"}-${trace}-${span}-${flags.toString(16).padStart(2, "0")}`
          const expected = { traceId: trace, spanId: span, sampled: flags % 2 === 1 }
          expect(parseTraceparent(text)).toMatchObject(expected)
          if (later) expect(parseTraceparent(`${text}-more`)).toMatchObject(expected)
          else expect(parseTraceparent(`${text}-more`)).toBeNull()
        }
      )
    )
  })

  it("is rejected when malformed", () => {
    const zero = (length: number) => "0".repeat(length)
    for (const text of [
      "",
      `00-${zero(32)}-${"1".repeat(16)}-01`,
      `00-${"1".repeat(32)}-${zero(16)}-01`,
      `ff-${"1".repeat(32)}-${"1".repeat(16)}-01`,
      `00-${"A".repeat(32)}-${"1".repeat(16)}-01`,
      `00-${"1".repeat(31)}-${"1".repeat(16)}-01`,
      `00-${"1".repeat(32)}-${"1".repeat(16)}-1`
    ]) {
      expect(parseTraceparent(text)).toBeNull()
    }
    fc.assert(fc.property(fc.string(), (text) => parseTraceparent(text) === null))
  })
})

describe("jobs", () => {
  it("carry the span that enqueued them, and run in its trace, linked to their batch", async () => {
    const { spans, traced } = keeping()
    await Effect.gen(function* () {
      const [made] = yield* inSpan("request", { kind: "server" }, carryTrace([job({ deliveryId: "x" })]))
      const claimed = { ...job(null), payload: made!.payload }
      yield* inBatchSpan("deliveries", [claimed, job({})], 0, inJobSpan(claimed, Effect.void))
    }).pipe(traced, Effect.runPromise)
    const [request, batch, one] = spans
    expect(spans.map(({ name }) => name)).toEqual(["request", "process deliveries", "process deliveries job"])
    expect(batch!.traceId).not.toBe(request!.traceId)
    expect(batch!.links.map(({ span }) => span.spanId)).toEqual([request!.spanId])
    expect(batch!.attributes.get("messaging.batch.message_count")).toBe(2)
    expect(one).toMatchObject({ traceId: request!.traceId, parent: { value: { spanId: request!.spanId } } })
    expect(one!.links.map(({ span }) => span.spanId)).toEqual([batch!.spanId])
  })

  it("keep payloads that are not records, and ignore malformed spans", async () => {
    fc.assert(fc.property(fc.jsonValue(), (payload) => originOf(job(payload as NewJob["payload"])) === null))
    fc.assert(fc.property(fc.jsonValue(), (value) => originOf(job({ traceparent: value } as never)) === null))
    const { traced } = keeping()
    const kept = inSpan("request", {}, carryTrace([job(null), job("text"), job([1])]))
    const carried = await Effect.runPromise(traced(kept))
    expect(carried.map(({ payload }) => payload)).toEqual([null, "text", [1]])
  })

  it("stay unchanged without tracing", async () => {
    const { spans, traced } = keeping()
    const jobs = [job({ deliveryId: "x" })]
    const work = Effect.gen(function* () {
      expect(yield* isTracing).toBe(false)
      const kept = yield* inSpan("request", {}, carryTrace(jobs))
      expect(yield* inSpan("request", {}, currentTraceparent)).toBeNull()
      return yield* inBatchSpan("deliveries", jobs, 0, inJobSpan(jobs[0]!, Effect.succeed(kept)))
    })
    expect(await Effect.runPromise(work)).toBe(jobs)
    const off = Effect.provideService(work, References.TracerEnabled, false)
    expect(await Effect.runPromise(traced(off))).toBe(jobs)
    expect(spans).toEqual([])
  })
})
