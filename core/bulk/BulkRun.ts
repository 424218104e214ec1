/**
 * Does the work of jobs on many items, in the background and in batches. A batch is committed together with the place
 * it ends at, so a job continues after a crash where it stopped, and takes no item twice.
 *
 * @module
 */
import { Clock, Context, Data, Effect, Layer } from "effect"
import { csvLine } from "../audience/imports/ImportReport.ts"
import type { DecodedJob } from "../jobs/defineJob.ts"
import { bulkExpiryJob, type BulkPayload, bulkRunJob } from "../jobs/definitions/BulkJobs.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import { type BulkJob, hasEnded, keepReportMillis } from "../model/BulkJob.ts"
import { BulkJobStore } from "../ports/BulkJobStore.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { catalogue } from "../shared/Problem.ts"
import { type BulkWork, workOf } from "./BulkActions.ts"
import { ContactBatches } from "./ContactBatches.ts"
import { NotificationBatches } from "./NotificationBatches.ts"

/** The most failures that are kept for the report; all are counted. */
export const maxKeptFailures = 10_000
/** How long a job runs before other jobs of the queue are processed, milliseconds. */
const timeSlice = 2_000
/** A job of the queue that failed this often without progress fails its job. */
const maxAttempts = 8

/** The job was cancelled, or another worker has progressed further. */
class Overtaken extends Data.TaggedError("Overtaken") {}

/** Processes jobs. */
export class BulkRun extends Context.Service<BulkRun>()("svc/bulk/BulkRun", {
  make: Effect.gen(function* () {
    const store = yield* BulkJobStore
    const contacts = yield* ContactBatches
    const notifications = yield* NotificationBatches
    const queue = yield* JobQueue
    const atomically = yield* Atomically
    const ids = yield* Ids

    /** Enqueues the removal of a finished job's report. */
    const expireLater = Effect.fnUntraced(function* ({ accountId, id }: BulkJob, now: number) {
      yield* queue.enqueue([
        bulkExpiryJob.job({
          id: yield* ids.next,
          accountId,
          payload: { jobId: id, step: "Expire" },
          runAt: now + keepReportMillis
        })
      ])
    })

    const countOf = (accountId: string, work: BulkWork) =>
      "resend" in work ? notifications.count(accountId, work) : contacts.count(accountId, work)

    const process = (job: BulkJob, work: BulkWork) =>
      "resend" in work ? notifications.process(job, work) : contacts.process(job, work)

    /** Works on one batch and commits it with the job's progress; returns whether items may remain. */
    const processBatch = Effect.fnUntraced(function* (accountId: string, id: string, seen: number) {
      const job = yield* store.get(accountId, id)
      const work = job === null ? null : workOf(job)
      if (job === null || work === null || hasEnded(job.state) || job.version !== seen) {
        return yield* new Overtaken()
      }
      const items = job.items ?? (yield* countOf(accountId, work))
      const { next, outcomes } = yield* process(job, work)
      const failures = outcomes.flatMap(([itemId, code]) => (code === null ? [] : [{ itemId, code }]))
      const isExport = job.kind === "Export"
      const kept = isExport ? [] : failures.slice(0, Math.max(0, maxKeptFailures - job.rows))
      yield* store.addRows(
        accountId,
        id,
        kept.map(({ code, itemId }, index) => ({
          place: job.rows + index + 1,
          contactId: "resend" in work ? null : itemId,
          content: csvLine([itemId, code, catalogue[code].message])
        }))
      )
      const isLast = next === null
      const now = yield* Clock.currentTimeMillis
      const succeeded = outcomes.length - failures.length
      yield* store.save({
        ...job,
        state: isLast ? "Done" : "Running",
        position: next,
        done: job.done + succeeded,
        failed: job.failed + failures.length,
        items,
        rows: job.rows + (isExport ? succeeded : kept.length),
        finishedAt: isLast ? now : null,
        version: seen + 1
      })
      if (isLast) yield* expireLater(job, now)
      return !isLast
    })

    /** Ends a job that cannot continue. */
    const fail = Effect.fnUntraced(function* (accountId: string, id: string) {
      const job = yield* store.get(accountId, id)
      if (job === null || hasEnded(job.state)) return
      const now = yield* Clock.currentTimeMillis
      yield* store.save({ ...job, state: "Failed", finishedAt: now, version: job.version + 1 })
      yield* expireLater(job, now)
    }, atomically)

    /** Works for a time slice; returns whether items may remain. */
    const processSlice = Effect.fnUntraced(function* (job: BulkJob) {
      const until = (yield* Clock.currentTimeMillis) + timeSlice
      for (let version = job.version; ; version++) {
        const mayHaveMore = yield* atomically(processBatch(job.accountId, job.id, version))
        if (!mayHaveMore) return false
        if ((yield* Clock.currentTimeMillis) >= until) return true
      }
    })

    const run = Effect.fnUntraced(function* ({ accountId, attempts }: Job, id: string) {
      const job = yield* store.get(accountId, id)
      if (job === null || hasEnded(job.state)) return false
      if (attempts > maxAttempts) {
        yield* fail(accountId, id)
        return false
      }
      return yield* processSlice(job).pipe(
        Effect.catchTag("Overtaken", () => Effect.succeed(false)),
        // What it names, such as a segment or a webhook, is gone.
        Effect.catchTag("Problem", () => Effect.as(fail(accountId, id), false))
      )
    })

    /** Removes the report of a job, and what it was made of. */
    const expire = Effect.fnUntraced(function* (accountId: string, id: string) {
      const job = yield* store.get(accountId, id)
      if (job === null || !hasEnded(job.state)) return
      yield* store.save({ ...job, work: null, position: null, version: job.version + 1 })
      yield* store.removeRows(accountId, id)
    }, atomically)

    const handleJob = Effect.fnUntraced(function* ({ job, payload }: DecodedJob<BulkPayload>) {
      const mayHaveMore = payload.step === "Run" ? yield* run(job, payload.jobId) : false
      if (payload.step === "Expire") yield* expire(job.accountId, payload.jobId)
      const next = bulkRunJob.job({
        id: yield* ids.next,
        accountId: job.accountId,
        payload,
        runAt: yield* Clock.currentTimeMillis
      })
      yield* atomically(
        Effect.andThen(queue.complete([job]), mayHaveMore ? queue.enqueue([next]) : Effect.void)
      )
    })

    return {
      /** Processes jobs: works on items, or removes what has expired. */
      handle: Effect.fn("BulkRun.handle")((jobs: ReadonlyArray<Job>) =>
        Effect.flatMap(bulkRunJob.decode(queue, jobs), Effect.forEach(handleJob, { discard: true }))
      )
    }
  })
}) {
  static readonly layer = Layer.effect(BulkRun, BulkRun.make).pipe(
    Layer.provide([ContactBatches.layer, NotificationBatches.layer])
  )
}
