/**
 * Writes the request log, the calls of the public API, in batches and independently of the calls. A call never waits for its
 * entry. If there is no room for entries, or the database is unavailable, they are dropped and counted.
 *
 * @module
 */
import { Context, Effect, Latch, Layer, Metric } from "effect"
import { describeDefect } from "../shared/Defect.ts"
import { Ids } from "../kernel/Ids.ts"
import type { RequestEntry } from "../model/RequestEntry.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { RequestLog } from "../ports/RequestLog.ts"
import { untraced } from "../shared/Tracing.ts"

/** The most entries waiting to be written. */
export const maxWaiting = 10_000
/** The most entries written by one statement. */
const maxBatch = 1_000
/** How long entries wait for others, so that they are written together. */
const pause = "500 millis"

const dropped = Metric.counter("svc_request_log_dropped_total", {
  description: "Entries of the request log that were not written",
  incremental: true
})

/** The request log of accounts. */
export class Requests extends Context.Service<Requests>()("svc/accounts/Requests", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const log = yield* RequestLog
    const ids = yield* Ids
    const arrived = yield* Latch.make(false)
    let waiting: Array<Omit<RequestEntry, "id">> = []
    let lost = 0

    /** Writes the waiting entries, except those of accounts that keep no log. */
    const write = Effect.gen(function* () {
      while (waiting.length > 0) {
        const batch = waiting.slice(0, maxBatch)
        waiting = waiting.slice(maxBatch)
        lost += batch.length
        const found = yield* accounts.find([...new Set(batch.map(({ accountId }) => accountId))])
        const keeping = new Set(
          found.flatMap(({ id, settings }) => (settings.requestLogDays > 0 ? [id] : []))
        )
        const kept = batch.filter(({ accountId }) => keeping.has(accountId))
        const newIds = yield* ids.many(kept.length)
        yield* log.append(kept.map((entry, index) => ({ ...entry, id: newIds[index]! })))
        lost -= batch.length
      }
    }).pipe(
      Effect.catchCause((cause) =>
        Effect.annotateLogs(Effect.logWarning("entries of the request log were dropped"), {
          ...describeDefect(cause),
          count: lost
        })
      ),
      Effect.ensuring(
        Effect.suspend(() => {
          const count = lost
          lost = 0
          return count === 0 ? Effect.void : Metric.update(dropped, count)
        })
      ),
      untraced
    )
    const round = Effect.gen(function* () {
      yield* arrived.await
      yield* Effect.sleep(pause)
      yield* arrived.close
      yield* write
    })
    yield* Effect.forkScoped(Effect.forever(round))
    yield* Effect.addFinalizer(() => write)

    return {
      /** Adds an entry to the next batch; returns at once. */
      add: (entry: Omit<RequestEntry, "id">): void => {
        if (waiting.length >= maxWaiting) lost++
        else waiting.push(entry)
        arrived.openUnsafe()
      },
      /** An account's calls that pass a filter, newest first. */
      list: log.list
    }
  })
}) {
  static readonly layer = Layer.effect(Requests, Requests.make)
}
