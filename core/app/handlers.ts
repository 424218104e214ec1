/**
 * What is done with the jobs of each queue.
 *
 * @module
 */
import { Effect } from "effect"
import { makeEventProcessing } from "../events/EventProcessing.ts"
import { makeImportRun } from "../audience/imports/ImportRun.ts"
import { maxAdvanced, RunAdvancer } from "../automation/runs/RunAdvancer.ts"
import { RunRetention } from "../automation/runs/RunRetention.ts"
import { WebhookStepSender } from "../automation/runs/WebhookStepSender.ts"
import { runRetentionKey } from "../jobs/definitions/RetentionJobs.ts"
import { AbandonedCarts } from "../commerce/sync/AbandonedCarts.ts"
import { isStoreErasure, StoreErasure } from "../commerce/stores/StoreErasure.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { makeDeliveries } from "../sending/delivery/Deliveries.ts"
import { isCheck, makeDomainChecks } from "../sending/domains/DomainChecks.ts"
import { makeRelease } from "../sending/delivery/Release.ts"
import { makeRetention } from "../sending/retention/Retention.ts"
import { retryConflicts } from "../kernel/Conflicts.ts"
import { makeNotificationSender } from "../webhooks/NotificationSender.ts"
import type { Handlers } from "../jobs/Worker.ts"

/** How long what a killed worker left undone waits. */
const lease = 30_000
/** Checks wait for name servers that do not answer. */
const checkLease = 120_000
/** Each account has a turn of some seconds. */
const retentionLease = 60_000
/** An import takes a turn of some seconds, and its last batch may be slow. */
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
  const retainRuns = yield* RunRetention
  const calls = yield* WebhookStepSender
  const runs = yield* RunAdvancer
  const storeErasure = yield* StoreErasure
  const abandonedCarts = yield* AbandonedCarts
  return {
    calls,
    carts: { batch: 100, lease, handle: abandonedCarts.record },
    deliveries,
    domains: {
      batch: 20,
      lease: checkLease,
      handle: Effect.fnUntraced(function* (jobs) {
        const checks = jobs.filter(isCheck)
        const releases = jobs.filter((job) => !isCheck(job))
        for (const accountId of new Set(releases.map((job) => job.accountId))) {
          yield* retryConflicts(release(accountId))
        }
        if (releases.length > 0) yield* queue.complete(releases)
        if (checks.length > 0) yield* checkDomains(checks)
      })
    },
    events,
    imports: { batch: 1, lease: importLease, handle: runImports },
    notifications,
    runs: { batch: maxAdvanced, lease, handle: runs.advance },
    retention: {
      batch: 4,
      lease: retentionLease,
      handle: Effect.fnUntraced(function* (jobs) {
        const handlerOf = (job: Job) =>
          job.key === runRetentionKey ? retainRuns.run : isStoreErasure(job) ? storeErasure.run : retain
        const kinds = Map.groupBy(jobs, handlerOf)
        yield* Effect.forEach(kinds, ([handle, group]) => handle(group), { discard: true })
      })
    }
  } satisfies Handlers
})
