/**
 * Removes stored content that nothing uses: what the last email that used it has left, and objects outside the database that were
 * stored for emails and images that were never accepted, or that were removed while the storage was unavailable.
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

/** How many objects are looked at together. */
const pageSize = 500
/** How long an account is worked on at a time, milliseconds. */
const timeSlice = 5_000
/** The pause before objects that could not be removed are looked for again, milliseconds. */
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
     * Removes a page of content whose last use has ended; returns whether there may be more. Objects are removed after
     * their records, whose removal no new use can survive: a later email with equal content stores it under another name.
     * Those that remain when the process ends in between are found by the sweep.
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
     * Removes the old objects of a space that nothing names. Returns when the younger ones are old, or Infinity without any:
     * one of a clock that was far ahead is looked at again like one of now.
     *
     * @param idsNamed which of the objects are named, by their ids
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

    /** When objects that nothing names may be removed that are younger; null where there are none. */
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
      /**
       * Handles jobs of the queue `retention`. While the storage is unavailable they wait. Repeating it is harmless.
       */
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
