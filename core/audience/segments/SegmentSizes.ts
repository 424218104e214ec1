/**
 * Counts the segments of accounts once a day and stores their sizes, so that the growth of a segment can be shown without
 * counting it.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { segmentSizesJob } from "../../jobs/definitions/SegmentJobs.ts"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { SegmentSize } from "../../model/Segment.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { SegmentStore } from "../../ports/SegmentStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { utcDaysUntil } from "../../shared/UtcDays.ts"
import { SegmentCounting } from "./SegmentCounting.ts"
import { Segments } from "./Segments.ts"

/** The most days in one call. */
export const maxSizeDays = 366
/** The number of days if the caller gives none. */
export const defaultSizeDays = 30
/** How long sizes are kept, milliseconds: a year, and about a month more for comparison. */
export const sizesKeptMillis = 400 * 86_400_000
/** How long the segments of an account are counted before those of other accounts, milliseconds. */
const timeSlice = 5_000
/** The number of segments that are counted before the time slice is checked. */
const countedTogether = 20
/** The number of accounts whose jobs one statement enqueues. */
const enqueuedTogether = 1_000

const startOfDay = (now: number): number => utcDaysUntil(now, 1)[0]!.from

/** The sizes of segments by day. */
export class SegmentSizes extends Context.Service<SegmentSizes>()("svc/audience/SegmentSizes", {
  make: Effect.gen(function* () {
    const atomically = yield* Atomically
    const { count } = yield* SegmentCounting
    const ids = yield* Ids
    const queue = yield* JobQueue
    const segments = yield* Segments
    const store = yield* SegmentStore

    const enqueue = Effect.fnUntraced(function* (accountIds: ReadonlyArray<string>, runAt: number) {
      const jobIds = yield* ids.many(accountIds.length)
      yield* queue.enqueue(
        accountIds.map((accountId, index) =>
          segmentSizesJob.job({ id: jobIds[index]!, accountId, payload: {}, runAt })
        )
      )
    })

    /** Counts the segments without a size for today, until the time slice ends; returns whether all have one. */
    const record = Effect.fnUntraced(function* (accountId: string) {
      const began = yield* Clock.currentTimeMillis
      const day = startOfDay(began)
      const sized = new Set((yield* store.sizes(accountId, null, day)).map(({ segmentId }) => segmentId))
      const missing = [...(yield* segments.ids(accountId))].filter((id) => !sized.has(id))
      for (let start = 0; start < missing.length; start += countedTogether) {
        if ((yield* Clock.currentTimeMillis) >= began + timeSlice) return false
        const found = [
          ...(yield* segments.definitions(accountId, missing.slice(start, start + countedTogether)))
        ]
        const counts = yield* count(
          accountId,
          found.map(([, definition]) => definition)
        )
        yield* store.saveSizes(
          found.map(([segmentId], index): SegmentSize => ({ accountId, segmentId, day, ...counts[index]! }))
        )
      }
      return true
    })

    return {
      /** Enqueues a job for each account that has contacts but no size for today. */
      begin: Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        let after: string | null = null
        do {
          const found: ReadonlyArray<string> = yield* store.unsized(startOfDay(now), after, enqueuedTogether)
          if (found.length > 0) yield* enqueue(found, now)
          after = found.length < enqueuedTogether ? null : found.at(-1)!
        } while (after !== null)
      }),
      /** Counts the segments of the accounts of jobs. Repeating it is harmless. */
      run: Effect.fn("SegmentSizes.run")(function* (jobs: ReadonlyArray<Job>) {
        for (const job of jobs) {
          const isDone = yield* record(job.accountId)
          const now = yield* Clock.currentTimeMillis
          yield* atomically(
            Effect.andThen(queue.complete([job]), isDone ? Effect.void : enqueue([job.accountId], now))
          )
        }
      }),
      /**
       * The sizes of the last days, including today, of one segment or (null) of all, oldest day first. Days on which segments
       * were not counted are missing.
       */
      list: Effect.fn("SegmentSizes.list")(function* (
        accountId: string,
        segmentId: string | null,
        days: number
      ): Effect.fn.Return<ReadonlyArray<SegmentSize>, Unavailable> {
        const since = utcDaysUntil(yield* Clock.currentTimeMillis, days).at(-1)!.from
        return yield* store.sizes(accountId, segmentId, since)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(SegmentSizes, SegmentSizes.make).pipe(
    Layer.provide([SegmentCounting.layer, Segments.layer]),
    builtOnce
  )
}
