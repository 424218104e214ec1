/**
 * Removes stored content that is no longer used: content whose last email is gone, and objects outside the database that
 * belong to emails or images that were never accepted, or that were removed while the storage was unavailable.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { contentRemovalJob, objectSweepJob } from "../../jobs/definitions/ContentJobs.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { maxUnnamedMillis, type ObjectName } from "../../model/Content.ts"
import { imageSpace } from "../../model/Image.ts"
import { ContentStore } from "../../ports/ContentStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { ImageStore } from "../../ports/ImageStore.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { ObjectStorage } from "../../ports/ObjectStorage.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { timeOfId } from "../../shared/Uuid.ts"

/** The number of objects processed together. */
const pageSize = 500
/** How long a job works on an account at a time, milliseconds. */
const timeSlice = 5_000
/** The pause before the sweep looks again for objects that could not be removed, milliseconds. */
const pause = 600_000

/** Removes content that nothing uses. */
export class ContentSweep extends Context.Service<ContentSweep>()("svc/sending/ContentSweep", {
  make: Effect.gen(function* () {
    const atomically = yield* Atomically
    const contents = yield* ContentStore
    const crypto = yield* Crypto
    const ids = yield* Ids
    const images = yield* ImageStore
    const jobs = yield* JobQueue
    const storage = yield* ObjectStorage

    const enqueueSweep = Effect.fnUntraced(function* (accountId: string, runAt: number) {
      const id = yield* ids.next
      yield* jobs.enqueue([objectSweepJob.job({ id, accountId, payload: {}, runAt })])
    })

    /**
     * Removes a page of content whose last use has ended. Returns whether there may be more. Objects are removed after their
     * records. No new use can arise after a record's removal, since a later email with equal content stores it under another
     * name. If the process ends in between, the sweep finds the remaining objects.
     */
    const removePage = Effect.fnUntraced(function* (accountId: string) {
      const { outside, seen } = yield* atomically(
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const removed = yield* contents.removeUnused(accountId, pageSize, now)
          if (removed.outside.length > 0) yield* enqueueSweep(accountId, now + pause)
          return removed
        })
      )
      if (outside.length > 0) yield* storage.remove(outside)
      return seen === pageSize
    })

    /**
     * Removes the old objects of a space that no record refers to. Returns when the younger objects become old, or Infinity if
     * there are none. An object created by a clock that was far ahead is treated as created now.
     *
     * @param idsNamed returns which objects are referred to, by their ids
     */
    const sweepSpace = Effect.fnUntraced(function* (
      space: string,
      idsNamed: (page: ReadonlyArray<ObjectName>) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    ) {
      let after: ObjectName | null = null
      let due = Infinity
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        const page: ReadonlyArray<ObjectName> = yield* storage.list(space, after, pageSize)
        const named = new Set(yield* idsNamed(page))
        const unnamed = page.filter(({ id }) => !named.has(id))
        const isOld = ({ id }: ObjectName) => timeOfId(id) + maxUnnamedMillis <= now
        const old = unnamed.filter(isOld)
        if (old.length > 0) yield* storage.remove(old)
        for (const one of unnamed) {
          if (!isOld(one)) due = Math.min(due, Math.min(timeOfId(one.id), now) + maxUnnamedMillis)
        }
        if (page.length < pageSize) return due
        after = page.at(-1)!
      }
    })

    /** Sweeps an account. Returns when its younger unreferenced objects may be removed; null if there are none. */
    const sweep = Effect.fnUntraced(function* (accountId: string) {
      if (storage.place === "Database") return null
      const ofContents = yield* sweepSpace(accountId, (page) =>
        Effect.map(contents.recorded(accountId, page), (found) => found.map(({ id }) => id))
      )
      const ofImages = yield* sweepSpace(imageSpace(accountId, crypto.sha256Hex), (page) =>
        images.recorded(
          accountId,
          page.map(({ id }) => id)
        )
      )
      const due = Math.min(ofContents, ofImages)
      return due === Infinity ? null : due
    })

    const remove = Effect.fnUntraced(function* (job: Job) {
      const until = (yield* Clock.currentTimeMillis) + timeSlice
      while (yield* removePage(job.accountId)) {
        const now = yield* Clock.currentTimeMillis
        if (now >= until) return yield* jobs.release([job], now)
      }
      return yield* jobs.complete([job])
    })

    const sweepObjects = Effect.fnUntraced(function* (job: Job) {
      const due = yield* sweep(job.accountId)
      yield* atomically(
        Effect.andThen(jobs.complete([job]), due === null ? Effect.void : enqueueSweep(job.accountId, due))
      )
    })

    return {
      /** Handles jobs of the queue `retention`. They wait while the storage is unavailable. Idempotent. */
      run: Effect.fn("ContentSweep.run")(function* (given: ReadonlyArray<Job>) {
        for (const job of given) {
          yield* (contentRemovalJob.owns(job) ? remove(job) : sweepObjects(job)).pipe(
            Effect.catchTag("Unavailable", () =>
              Effect.flatMap(Clock.currentTimeMillis, (now) => jobs.release([job], now + pause))
            )
          )
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(ContentSweep, ContentSweep.make)
}
