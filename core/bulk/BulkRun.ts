/**
 * Does the work of bulk jobs, in the background and in batches. A batch is committed together with the place at which it ends, so
 * that after a crash a job continues where it stopped, and processes no item twice.
 *
 * @module
 */
import { Clock, Context, Data, Effect, Layer } from "effect"
import { csvLine } from "../audience/imports/ImportReport.ts"
import { StoreEvents } from "../commerce/sync/StoreEvents.ts"
import type { DecodedJob } from "../jobs/defineJob.ts"
import { bulkExpiryJob, type BulkPayload, bulkRunJob } from "../jobs/definitions/BulkJobs.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import { type BulkJob, hasEnded, isExport, keepReportMillis } from "../model/BulkJob.ts"
import { BulkJobStore } from "../ports/BulkJobStore.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { catalogue } from "../shared/Problem.ts"
import { type BulkBatch, type BulkWork, endedWork, type ReplayWork, workOf } from "./BulkActions.ts"
import { ContactBatches } from "./ContactBatches.ts"
import { NotificationBatches } from "./NotificationBatches.ts"
import { CampaignRecipients } from "../campaigns/CampaignRecipients.ts"
import { RecipientBatches } from "./RecipientBatches.ts"

/** The most failures that are stored for the report; further ones are only counted. */
export const maxKeptFailures = 10_000
/** How long a job runs before other jobs of the queue are processed, milliseconds. */
const timeSlice = 2_000
/** The number of failures without progress after which a job fails. */
const maxAttempts = 8

/** The most events of a store that are replayed in one batch. */
const eventsAtOnce = 200

/** Work whose batches are done in the transaction that commits them. */
type TransactedWork = Exclude<BulkWork, ReplayWork>

/** The job was cancelled, or another worker has progressed further. */
class Overtaken extends Data.TaggedError("Overtaken") {}

/** Processes jobs. */
export class BulkRun extends Context.Service<BulkRun>()("svc/bulk/BulkRun", {
  make: Effect.gen(function* () {
    const store = yield* BulkJobStore
    const contacts = yield* ContactBatches
    const notifications = yield* NotificationBatches
    const recipients = yield* RecipientBatches
    const queue = yield* JobQueue
    const atomically = yield* Atomically
    const ids = yield* Ids
    const storeEvents = yield* StoreEvents

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

    const countOf = (accountId: string, work: TransactedWork) =>
      "resend" in work
        ? notifications.count(accountId, work)
        : "recipients" in work
          ? recipients.count(accountId, work)
          : contacts.count(accountId, work)

    /**
     * Replays the next events of a store, in separate transactions. If the progress is not committed, the accepted events are not
     * replayed again. Null for other work.
     */
    const replay = Effect.fnUntraced(function* (accountId: string, id: string) {
      const job = yield* store.get(accountId, id)
      const work = job === null ? null : workOf(job)
      if (job === null || work === null || hasEnded(job.state) || !("replay" in work)) return null
      const place = job.position as readonly [number, string] | null
      return yield* storeEvents.replay(accountId, work.storeId, work.replay, place, eventsAtOnce)
    })

    const process = (job: BulkJob, work: TransactedWork) =>
      "resend" in work
        ? notifications.process(job, work)
        : "recipients" in work
          ? recipients.process(job, work)
          : contacts.process(job, work)

    /**
     * Processes one batch and commits it with the job's progress, only while the worker has the claim; returns whether items may
     * remain.
     */
    const processBatch = Effect.fnUntraced(function* (
      claim: Job,
      id: string,
      seen: number,
      replayed: BulkBatch | null
    ) {
      const { accountId } = claim
      yield* queue.hold([claim])
      const job = yield* store.get(accountId, id)
      const work = job === null ? null : workOf(job)
      if (job === null || work === null || hasEnded(job.state) || job.version !== seen) {
        return yield* new Overtaken()
      }
      const isReplay = "replay" in work
      if (isReplay !== (replayed !== null)) return yield* new Overtaken()
      // Counted before the batch, which may change the number; a replay is counted when it ends.
      const counted = isReplay ? null : (job.items ?? (yield* countOf(accountId, work)))
      const { next, outcomes } = isReplay ? replayed! : yield* process(job, work)
      const items = isReplay && next === null ? job.done + job.failed + outcomes.length : counted
      const failures = outcomes.flatMap(([itemId, code]) => (code === null ? [] : [{ itemId, code }]))
      const isFile = isExport(job)
      const kept = isFile ? [] : failures.slice(0, Math.max(0, maxKeptFailures - job.rows))
      yield* store.addRows(
        accountId,
        id,
        kept.map(({ code, itemId }, index) => ({
          place: job.rows + index + 1,
          contactId: "action" in work ? itemId : null,
          content: csvLine([itemId, code, catalogue[code].message])
        }))
      )
      const isLast = next === null
      const now = yield* Clock.currentTimeMillis
      const succeeded = outcomes.length - failures.length
      yield* store.save({
        ...job,
        state: isLast ? "Done" : "Running",
        work: isLast ? endedWork(job) : job.work,
        position: next,
        done: job.done + succeeded,
        failed: job.failed + failures.length,
        items,
        rows: job.rows + (isFile ? succeeded : kept.length),
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
      const failed = { ...job, state: "Failed", work: endedWork(job), finishedAt: now } as const
      yield* store.save({ ...failed, version: job.version + 1 })
      yield* expireLater(job, now)
    }, atomically)

    /** Processes batches until the time slice ends; returns whether items may remain. */
    const processSlice = Effect.fnUntraced(function* (claim: Job, job: BulkJob) {
      const until = (yield* Clock.currentTimeMillis) + timeSlice
      for (let version = job.version; ; version++) {
        const replayed = yield* replay(job.accountId, job.id)
        const mayHaveMore = yield* atomically(processBatch(claim, job.id, version, replayed))
        if (!mayHaveMore) return false
        if ((yield* Clock.currentTimeMillis) >= until) return true
      }
    })

    const run = Effect.fnUntraced(function* (claim: Job, id: string) {
      const { accountId, attempts } = claim
      const job = yield* store.get(accountId, id)
      // Work that this version cannot read may be known to another version of the service.
      if (job === null || hasEnded(job.state) || workOf(job) === null) return false
      if (attempts > maxAttempts) {
        yield* fail(accountId, id)
        return false
      }
      return yield* processSlice(claim, job).pipe(
        // The next job checks whether items remain.
        Effect.catchTag("Overtaken", () => Effect.succeed(true)),
        // Something that the work names, such as a segment or a webhook, no longer exists.
        Effect.catchTag("Problem", () => Effect.as(fail(accountId, id), false))
      )
    })

    /** Deletes the report of a job, and the work from which it was made. */
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
      /** Handles background jobs: processes items, or removes expired reports. */
      handle: Effect.fn("BulkRun.handle")((jobs: ReadonlyArray<Job>) =>
        Effect.flatMap(bulkRunJob.decode(queue, jobs), Effect.forEach(handleJob, { discard: true }))
      )
    }
  })
}) {
  static readonly layer = Layer.effect(BulkRun, BulkRun.make).pipe(
    Layer.provide([
      ContactBatches.layer,
      NotificationBatches.layer,
      RecipientBatches.layer.pipe(Layer.provide(CampaignRecipients.layer))
    ])
  )
}
