/**
 * Assigns each queue of jobs its handler.
 *
 * @module
 */
import { Effect } from "effect"
import { makeEventProcessing } from "../events/EventProcessing.ts"
import { makeImportRun } from "../audience/imports/ImportRun.ts"
import { makeFlowCalls } from "../automation/runs/WebhookStepSender.ts"
import { makeFlowTurns } from "../automation/runs/RunAdvancer.ts"
import { makeRunRetention } from "../automation/runs/RunRetention.ts"
import { checkJob, releaseJob } from "../jobs/definitions/DomainJobs.ts"
import { runRetentionJob } from "../jobs/definitions/RetentionJobs.ts"
import { storeErasureJob } from "../jobs/definitions/StoreJobs.ts"
import { makeAbandonedCarts } from "../commerce/sync/AbandonedCarts.ts"
import { makeStoreErasure } from "../commerce/stores/StoreErasure.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { makeDeliveries } from "../sending/delivery/Deliveries.ts"
import { makeDomainChecks } from "../sending/domains/DomainChecks.ts"
import { makeRelease } from "../sending/delivery/Release.ts"
import { makeRetention } from "../sending/retention/Retention.ts"
import { retryConflicts } from "../kernel/Conflicts.ts"
import { makeNotificationSender } from "../webhooks/NotificationSender.ts"
import type { Handlers } from "../jobs/Worker.ts"

/** How long the jobs of a killed worker wait. */
const lease = 30_000
/** Checks wait for name servers that do not reply. */
const checkLease = 120_000
/** Each account has a time slice of some seconds. */
const retentionLease = 60_000
/** An import has a time slice of some seconds, and its last batch may be slow. */
const importLease = 60_000

/** The service's handlers. */
export const makeHandlers = Effect.gen(function* () {
  const queue = yield* JobQueue
  const deliveries = yield* makeDeliveries
  const events = yield* makeEventProcessing
  const release = yield* makeRelease
  const { run: checkDomains } = yield* makeDomainChecks
  const runImports = yield* makeImportRun
  const notifications = yield* makeNotificationSender
  const retain = yield* makeRetention
  const retainRuns = yield* makeRunRetention
  const calls = yield* makeFlowCalls
  const runs = yield* makeFlowTurns
  const eraseStores = yield* makeStoreErasure
  const tellAbandonedCarts = yield* makeAbandonedCarts
  return {
    calls,
    carts: { batch: 100, lease, handle: tellAbandonedCarts },
    deliveries,
    domains: {
      batch: 20,
      lease: checkLease,
      handle: Effect.fnUntraced(function* (jobs) {
        const checks = jobs.filter(checkJob.owns)
        const releases = yield* releaseJob.decode(
          queue,
          jobs.filter((job) => !checkJob.owns(job))
        )
        for (const accountId of new Set(releases.map(({ job }) => job.accountId))) {
          yield* retryConflicts(release(accountId))
        }
        if (releases.length > 0) yield* queue.complete(releases.map(({ job }) => job))
        if (checks.length > 0) yield* checkDomains(checks)
      })
    },
    events,
    imports: { batch: 1, lease: importLease, handle: runImports },
    notifications,
    runs,
    retention: {
      batch: 4,
      lease: retentionLease,
      handle: Effect.fnUntraced(function* (jobs) {
        const handlerOf = (job: Job) =>
          runRetentionJob.owns(job) ? retainRuns : storeErasureJob.owns(job) ? eraseStores : retain
        const kinds = Map.groupBy(jobs, handlerOf)
        yield* Effect.forEach(kinds, ([handle, group]) => handle(group), { discard: true })
      })
    }
  } satisfies Handlers
})
