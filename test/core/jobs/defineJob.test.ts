/**
 * Tests of how job definitions store and read what a job is for. Stored keys and payloads never change.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer as memory } from "../../../adapters/memory/index.ts"
import { payloadInvalid } from "../../../core/jobs/defineJob.ts"
import { deliveryJob } from "../../../core/jobs/definitions/DeliveryJobs.ts"
import { checkJob, releaseJob } from "../../../core/jobs/definitions/DomainJobs.ts"
import { eventJob } from "../../../core/jobs/definitions/EventJobs.ts"
import { importExpiryJob, importRunJob, uploadExpiryJob } from "../../../core/jobs/definitions/ImportJobs.ts"
import { emailRetentionJob, runRetentionJob } from "../../../core/jobs/definitions/RetentionJobs.ts"
import { advanceRunJob, webhookStepJob } from "../../../core/jobs/definitions/RunJobs.ts"
import { cartJob, storeErasureJob } from "../../../core/jobs/definitions/StoreJobs.ts"
import { wakeupJob } from "../../../core/jobs/definitions/WebhookJobs.ts"
import { type Job, JobQueue, type NewJob } from "../../../core/ports/JobQueue.ts"
import type { Json } from "../../../core/shared/Json.ts"
import { newId } from "../../contract/fixtures.ts"

const accountId = newId()
const given = { id: newId(), accountId, runAt: 5 }
const request = { flowId: "f", runId: "r", stepId: "s", url: "https://example.com", body: "{}" }

/** Each job, and its row in the database. */
const stored: ReadonlyArray<readonly [NewJob, queue: string, key: string | null, payload: Json]> = [
  [
    deliveryJob.job(false, { ...given, payload: { deliveryId: "d" } }),
    "deliveries",
    "d",
    { deliveryId: "d" }
  ],
  [
    checkJob.job({ ...given, payload: { kind: "check", domainId: "d" } }),
    "domains",
    "check:d",
    { kind: "check", domainId: "d" }
  ],
  [releaseJob.job({ ...given, payload: { kind: "release" } }), "domains", "release", { kind: "release" }],
  [eventJob.job({ ...given, payload: null }), "events", null, null],
  [
    importRunJob.job({ ...given, payload: { importId: "i", step: "Run" } }),
    "imports",
    "run:i",
    { importId: "i", step: "Run" }
  ],
  [
    importExpiryJob.job({ ...given, payload: { importId: "i", step: "Expire" } }),
    "imports",
    "expire:i",
    { importId: "i", step: "Expire" }
  ],
  [
    uploadExpiryJob.job({ ...given, payload: { importId: "i", step: "Expire" } }),
    "imports",
    "upload:i",
    { importId: "i", step: "Expire" }
  ],
  [emailRetentionJob.job({ ...given, payload: {} }), "retention", "emails", {}],
  [runRetentionJob.job({ ...given, payload: {} }), "retention", "runs", {}],
  [storeErasureJob.job({ ...given, payload: "s" }), "retention", "store s", {}],
  [advanceRunJob.job({ ...given, payload: { runId: "r" } }), "runs", "r", { runId: "r" }],
  [webhookStepJob.job({ ...given, payload: request }), "calls", "r/s", request],
  [cartJob.job({ ...given, payload: "c" }), "carts", "c", null],
  [wakeupJob.job({ ...given, payload: { webhookId: "w" } }), "notifications", null, { webhookId: "w" }]
]

const claimed = (job: Partial<NewJob>): Job => ({
  ...given,
  queue: "deliveries",
  key: null,
  payload: null,
  ...job,
  attempts: 1,
  lastError: null,
  leasedUntil: 0
})

describe("a job definition", () => {
  it.each(stored)("stores %o with its queue, key and payload", (job, queue, key, payload) => {
    expect(job).toStrictEqual({ ...given, queue, key, payload })
  })

  it.effect("decodes the stored payload, with a trace or without", () =>
    Effect.gen(function* () {
      const queue = yield* JobQueue
      const jobs = [{ deliveryId: "one" }, { deliveryId: "two", traceparent: "00-1-2-01" }].map((payload) =>
        claimed({ payload })
      )
      const decoded = yield* deliveryJob.decode(queue, jobs)
      expect(decoded.map(({ job }) => job)).toEqual(jobs)
      expect(decoded.map(({ payload }) => payload)).toEqual([{ deliveryId: "one" }, { deliveryId: "two" }])
    }).pipe(Effect.provide(memory))
  )

  it.effect.each([null, {}, { traceparent: "00-1-2-01" }])("decodes the empty payload %o", (payload) =>
    Effect.gen(function* () {
      const queue = yield* JobQueue
      const job = claimed({ payload, key: "emails" })
      expect(yield* eventJob.decode(queue, [job])).toHaveLength(1)
      expect(yield* emailRetentionJob.decode(queue, [job])).toHaveLength(1)
      expect(emailRetentionJob.owns(job)).toBe(true)
      expect(runRetentionJob.owns(job)).toBe(false)
    }).pipe(Effect.provide(memory))
  )

  it.effect.each([null, {}])("reads a payload from the key, whatever is stored beside it (%o)", (payload) =>
    Effect.gen(function* () {
      const queue = yield* JobQueue
      const jobs = [claimed({ key: "store s", payload })]
      expect((yield* storeErasureJob.decode(queue, jobs)).map((one) => one.payload)).toEqual(["s"])
    }).pipe(Effect.provide(memory))
  )

  it("owns the jobs of its key alone", () => {
    const [check, release] = [claimed(stored[1]![0]), claimed(stored[2]![0])]
    expect([check, release].map(checkJob.owns)).toEqual([true, false])
    expect([check, release].map(releaseJob.owns)).toEqual([false, true])
    expect(checkJob.owns({ ...check, key: "release" })).toBe(false)
    expect(storeErasureJob.owns(claimed({ key: "runs" }))).toBe(false)
    expect(storeErasureJob.owns(claimed({ key: null }))).toBe(false)
  })

  it.effect("buries jobs that it cannot decode and returns the others", () =>
    Effect.gen(function* () {
      const queue = yield* JobQueue
      const good = deliveryJob.job(false, { ...given, id: newId(), payload: { deliveryId: "d" } })
      const bad = [null, {}, { deliveryId: 1 }].map((payload) => ({
        ...good,
        id: newId(),
        key: null,
        payload
      }))
      yield* queue.enqueue([good, ...bad])
      const jobs = yield* queue.claim({ queue: "deliveries", limit: 10, lease: 1_000, now: 10 })
      expect(jobs).toHaveLength(4)
      const decoded = yield* deliveryJob.decode(queue, jobs)
      expect(decoded.map(({ job }) => job.id)).toEqual([good.id])
      expect((yield* queue.depth).find((depth) => depth.queue === "deliveries")).toMatchObject({
        pending: 1,
        buried: 3
      })
      expect(payloadInvalid).toBe("jobs.payload_invalid")
    }).pipe(Effect.provide(memory, { local: true }))
  )

  it.effect("cancels and erases the jobs of payloads", () =>
    Effect.gen(function* () {
      const queue = yield* JobQueue
      const enqueue = (ids: ReadonlyArray<string>) =>
        queue.enqueue(ids.map((runId) => advanceRunJob.job({ ...given, id: newId(), payload: { runId } })))
      yield* enqueue(["one", "two", "three"])
      expect(yield* advanceRunJob.cancel(queue, accountId, [{ runId: "one" }, { runId: "other" }])).toEqual([
        "one"
      ])
      yield* advanceRunJob.erase(queue, accountId, [{ runId: "two" }, { runId: "two" }])
      const left = yield* queue.claim({ queue: "runs", limit: 10, lease: 1_000, now: 10 })
      expect(left.map(({ key }) => key)).toEqual(["three"])
    }).pipe(Effect.provide(memory, { local: true }))
  )
})
