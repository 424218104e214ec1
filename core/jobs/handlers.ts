/**
 * What is done with the jobs of each queue.
 *
 * @module
 */
import { Effect } from "effect"
import { makeImportRun } from "../audience/ImportRun.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { makeDeliveries } from "../sending/Deliveries.ts"
import { makeRelease } from "../sending/Release.ts"
import { retryConflicts } from "../shared/Conflicts.ts"
import type { Handlers } from "./Worker.ts"

/** How long a worker has for a batch. What a killed one left undone waits this long. */
const lease = 30_000
/** An import takes a turn of some seconds, and its last batch may be slow. */
const importLease = 60_000

/** The service's handlers. */
export const makeHandlers = Effect.gen(function* () {
  const queue = yield* JobQueue
  const deliver = yield* makeDeliveries
  const release = yield* makeRelease
  const runImports = yield* makeImportRun
  return {
    deliveries: { batch: 50, lease, handle: deliver },
    domains: {
      batch: 10,
      lease,
      handle: (jobs) =>
        Effect.andThen(
          Effect.forEach(
            new Set(jobs.map((job) => job.accountId)),
            (accountId) => retryConflicts(release(accountId)),
            { discard: true }
          ),
          queue.complete(jobs)
        )
    },
    imports: { batch: 1, lease: importLease, handle: runImports }
  } satisfies Handlers
})
