/**
 * Does the work of jobs on many contacts, and replays events of stores, in the background and in batches. A batch is committed together with the place
 * it ends at, so a job continues after a crash where it stopped, and takes no contact twice.
 *
 * @module
 */
import { Clock, Context, Data, Effect, Layer, Result } from "effect"
import { Contacts } from "../audience/contacts/Contacts.ts"
import { csvLine } from "../audience/imports/ImportReport.ts"
import { Segments } from "../audience/segments/Segments.ts"
import { StoreEvents } from "../commerce/sync/StoreEvents.ts"
import type { DecodedJob } from "../jobs/defineJob.ts"
import { bulkExpiryJob, type BulkPayload, bulkRunJob } from "../jobs/definitions/BulkJobs.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import { type BulkJob, type BulkJobRow, hasEnded, keepReportMillis } from "../model/BulkJob.ts"
import type { Contact } from "../model/Contact.ts"
import { BulkJobStore } from "../ports/BulkJobStore.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { TopicStore } from "../ports/TopicStore.ts"
import { Erasure } from "../privacy/Erasure.ts"
import type { Place } from "../shared/Page.ts"
import { catalogue, type Code, type Problem, type Unavailable } from "../shared/Problem.ts"
import { type BulkAction, type BulkTarget, exportLine, replayOf, workOf, writeOf } from "./BulkActions.ts"

/** The most contacts that are committed together. */
const batchSize = 200
/** The most that are erased together: other writers of the account wait for it. */
const erasedAtOnce = 100
/** The most failures that are kept for the report; all are counted. */
export const maxKeptFailures = 10_000
/** How long a job runs before other jobs of the queue are processed, milliseconds. */
const timeSlice = 2_000
/** A job of the queue that failed this often without progress fails its job. */
const maxAttempts = 8

/** The job was cancelled, or another worker has progressed further. */
class Overtaken extends Data.TaggedError("Overtaken") {}

/** The next contacts of a job. */
interface Batch {
  /** Those that exist. */
  readonly contacts: ReadonlyArray<Contact>
  /** Ids of those that do not. */
  readonly missing: ReadonlyArray<string>
  /** Where the batch ends; null where it is the last. */
  readonly next: Place | null
}

/** What became of a contact: null for success. */
type Outcome = readonly [contactId: string, failure: Code | null]

/** Processes jobs on many contacts. */
export class BulkRun extends Context.Service<BulkRun>()("svc/bulk/BulkRun", {
  make: Effect.gen(function* () {
    const store = yield* BulkJobStore
    const contacts = yield* Contacts
    const contactStore = yield* ContactStore
    const erasure = yield* Erasure
    const segments = yield* Segments
    const topics = yield* TopicStore
    const queue = yield* JobQueue
    const atomically = yield* Atomically
    const ids = yield* Ids
    const storeEvents = yield* StoreEvents

    const existing = (accountId: string, wanted: ReadonlyArray<string>) =>
      Effect.map(contactStore.find(accountId, { ids: wanted, externalIds: [], emails: [] }), (found) =>
        found.filter(({ erasedAt }) => erasedAt === null)
      )

    /** The next contacts behind a place, in one fixed order. */
    const batchOf = Effect.fnUntraced(function* (
      accountId: string,
      target: BulkTarget,
      position: Place | null,
      size: number
    ): Effect.fn.Return<Batch, Problem | Unavailable> {
      if ("ids" in target) {
        const from = Number(position?.[0] ?? 0)
        const wanted = target.ids.slice(from, from + size)
        const found = yield* existing(accountId, wanted)
        const known = new Set(found.map(({ id }) => id))
        return {
          contacts: found,
          missing: wanted.filter((id) => !known.has(id)),
          next: from + size < target.ids.length ? [from + size] : null
        }
      }
      const request = { page: 1, pageSize: size, after: position, total: "Bounded" as const }
      const { items, next } = yield* segments.find(accountId, target.filter, request)
      return { contacts: items, missing: [], next }
    })

    /** How many contacts a target has now. */
    const countOf = (accountId: string, target: BulkTarget) =>
      "ids" in target
        ? Effect.succeed(target.ids.length)
        : Effect.map(
            segments.find(accountId, target.filter, { page: 1, pageSize: 1, total: "Exact" }),
            ({ totalCount }) => totalCount
          )

    /** Writes an action to contacts. */
    const write = Effect.fnUntraced(function* (
      { accountId }: BulkJob,
      action: BulkAction,
      found: ReadonlyArray<Contact>
    ) {
      const writes = found.flatMap((contact) => writeOf(action, contact) ?? [])
      const results = yield* contacts.writeMany(
        accountId,
        writes.map((one) => Result.succeed(one)),
        "Ui"
      )
      return results.map((result, index): Outcome => [
        found[index]!.id,
        Result.isSuccess(result) ? null : result.failure.issues[0].code
      ])
    })

    /** Adds contacts to the exported file. Locked before they are read, so that none is erased meanwhile. */
    const exportRows = Effect.fnUntraced(function* (
      { accountId, id, rows }: BulkJob,
      action: Extract<BulkAction, { readonly kind: "Export" }>,
      found: ReadonlyArray<Contact>
    ) {
      const keys = { ids: found.map((contact) => contact.id), externalIds: [], emails: [] }
      yield* contactStore.lock(accountId, keys)
      const locked = new Map((yield* existing(accountId, keys.ids)).map((contact) => [contact.id, contact]))
      const exported = found.flatMap((contact) => locked.get(contact.id) ?? [])
      const known = yield* topics.list(accountId)
      yield* store.addRows(
        accountId,
        id,
        exported.map((contact, index): BulkJobRow => ({
          place: rows + index + 1,
          contactId: contact.id,
          content: exportLine(contact, action, known)
        }))
      )
      return found.map((contact): Outcome => [contact.id, locked.has(contact.id) ? null : "common.not_found"])
    })

    /** Does an action with contacts, in the caller's transaction. */
    const act = Effect.fnUntraced(function* (
      job: BulkJob,
      action: BulkAction,
      found: ReadonlyArray<Contact>
    ) {
      if (found.length === 0) return []
      if (action.kind === "Export") return yield* exportRows(job, action, found)
      if (action.kind !== "Erase") return yield* write(job, action, found)
      const wanted = found.map(({ id }) => id)
      const erased = new Set(yield* erasure.eraseMany(job.accountId, wanted, job.createdBy))
      return wanted.map((id): Outcome => [id, erased.has(id) ? null : "common.not_found"])
    })

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

    /** Works on one batch and commits it with the job's progress; returns whether contacts may remain. */
    const processBatch = Effect.fnUntraced(function* (accountId: string, id: string, seen: number) {
      const job = yield* store.get(accountId, id)
      const work = job === null ? null : workOf(job)
      if (job === null || work === null || hasEnded(job.state) || job.version !== seen) {
        return yield* new Overtaken()
      }
      const { action, target } = work
      const items = job.items ?? (yield* countOf(accountId, target))
      const size = action.kind === "Erase" ? erasedAtOnce : batchSize
      const batch = yield* batchOf(accountId, target, job.position, size)
      const outcomes = [
        ...(yield* act(job, action, batch.contacts)),
        ...batch.missing.map((contactId): Outcome => [contactId, "common.not_found"])
      ]
      const failures = outcomes.flatMap(([contactId, code]) => (code === null ? [] : [{ contactId, code }]))
      const isExport = action.kind === "Export"
      const kept = isExport ? [] : failures.slice(0, Math.max(0, maxKeptFailures - job.rows))
      yield* store.addRows(
        accountId,
        id,
        kept.map(({ code, contactId }, index) => ({
          place: job.rows + index + 1,
          contactId,
          content: csvLine([contactId, code, catalogue[code].message])
        }))
      )
      const isLast = batch.next === null
      const now = yield* Clock.currentTimeMillis
      const succeeded = outcomes.length - failures.length
      yield* store.save({
        ...job,
        state: isLast ? "Done" : "Running",
        position: batch.next,
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

    /**
     * Replays the next events of a store, then commits the job's progress; returns whether events may remain. Events are
     * taken in transactions of their own: when the progress is lost, those that were accepted are not taken again.
     */
    const replayBatch = Effect.fnUntraced(function* (accountId: string, id: string, seen: number) {
      const before = yield* store.get(accountId, id)
      const work = before === null ? null : replayOf(before)
      if (before === null || work === null || hasEnded(before.state) || before.version !== seen) {
        return yield* new Overtaken()
      }
      const place = before.position as readonly [number, string] | null
      const { next, outcomes } = yield* storeEvents.replay(accountId, work.storeId, work, place, batchSize)
      const failures = outcomes.flatMap(([eventId, code]) => (code === null ? [] : [{ eventId, code }]))
      return yield* atomically(
        Effect.gen(function* () {
          const job = yield* store.get(accountId, id)
          if (job === null || hasEnded(job.state) || job.version !== seen) return yield* new Overtaken()
          yield* store.addRows(
            accountId,
            id,
            failures.map(({ code, eventId }, index) => ({
              place: job.rows + index + 1,
              contactId: id,
              content: csvLine([eventId, code, catalogue[code].message])
            }))
          )
          const now = yield* Clock.currentTimeMillis
          const items = job.done + job.failed + outcomes.length
          const saved: BulkJob = {
            ...job,
            state: next === null ? "Done" : "Running",
            position: next,
            done: job.done + outcomes.length - failures.length,
            failed: job.failed + failures.length,
            items: next === null ? items : null,
            rows: job.rows + failures.length,
            finishedAt: next === null ? now : null,
            version: seen + 1
          }
          yield* store.save(saved)
          if (next === null) yield* expireLater(saved, now)
          return next !== null
        })
      )
    })

    /** Ends a job that cannot continue. */
    const fail = Effect.fnUntraced(function* (accountId: string, id: string) {
      const job = yield* store.get(accountId, id)
      if (job === null || hasEnded(job.state)) return
      const now = yield* Clock.currentTimeMillis
      yield* store.save({ ...job, state: "Failed", finishedAt: now, version: job.version + 1 })
      yield* expireLater(job, now)
    }, atomically)

    /** Works for a time slice; returns whether contacts may remain. */
    const processSlice = Effect.fnUntraced(function* (job: BulkJob) {
      const until = (yield* Clock.currentTimeMillis) + timeSlice
      for (let version = job.version; ; version++) {
        const mayHaveMore = yield* job.kind === "ReplayStoreEvents"
          ? replayBatch(job.accountId, job.id, version)
          : atomically(processBatch(job.accountId, job.id, version))
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
        // What its filter names, such as a segment, is gone.
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
      /** Processes jobs: works on contacts, or removes what has expired. */
      handle: Effect.fn("BulkRun.handle")((jobs: ReadonlyArray<Job>) =>
        Effect.flatMap(bulkRunJob.decode(queue, jobs), Effect.forEach(handleJob, { discard: true }))
      )
    }
  })
}) {
  static readonly layer = Layer.effect(BulkRun, BulkRun.make)
}
