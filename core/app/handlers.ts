/**
 * Assigns each job queue its handler.
 *
 * @module
 */
import { Effect } from "effect"
import { EventProcessing } from "../events/EventProcessing.ts"
import { BulkRun } from "../bulk/BulkRun.ts"
import { SegmentSizes } from "../audience/segments/SegmentSizes.ts"
import { ImportRun } from "../audience/imports/ImportRun.ts"
import { CampaignRun } from "../campaigns/CampaignRun.ts"
import { CompanyErasure } from "../companies/CompanyErasure.ts"
import { companyErasureJob } from "../jobs/definitions/CompanyJobs.ts"
import { bulkExpiryJob, bulkRunJob } from "../jobs/definitions/BulkJobs.ts"
import { checkJob, heldEndJob, judgeJob, laneReleaseJob, releaseJob } from "../jobs/definitions/DomainJobs.ts"
import { contentRemovalJob, objectSweepJob } from "../jobs/definitions/ContentJobs.ts"
import { segmentSizesJob } from "../jobs/definitions/SegmentJobs.ts"
import { segmentStartsJob } from "../jobs/definitions/RunJobs.ts"
import { runRetentionJob } from "../jobs/definitions/RetentionJobs.ts"
import { tlsReportJob } from "../jobs/definitions/TlsReportJobs.ts"
import { storeErasureJob } from "../jobs/definitions/StoreJobs.ts"
import { maxAdvanced, RunAdvancer } from "../automation/runs/RunAdvancer.ts"
import { SegmentStarts } from "../automation/runs/SegmentStarts.ts"
import { RunRetention } from "../automation/runs/RunRetention.ts"
import { WebhookStepSender } from "../automation/runs/WebhookStepSender.ts"
import { AbandonedCarts } from "../commerce/sync/AbandonedCarts.ts"
import { Conversions } from "../commerce/conversions/Conversions.ts"
import { StoreErasure } from "../commerce/stores/StoreErasure.ts"
import { campaignShare } from "../model/Message.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { ContentSweep } from "../sending/contents/ContentSweep.ts"
import { Deliveries } from "../sending/delivery/Deliveries.ts"
import { TlsReports } from "../notices/TlsReports.ts"
import { UserMails } from "../notices/UserMails.ts"
import { DomainChecks } from "../sending/domains/DomainChecks.ts"
import { Release } from "../sending/delivery/Release.ts"
import { Retention } from "../sending/retention/Retention.ts"
import { Standings } from "../sending/standing/Standings.ts"
import { retryConflicts } from "../kernel/Conflicts.ts"
import { NotificationSender } from "../webhooks/NotificationSender.ts"
import type { Handlers } from "../jobs/Worker.ts"

/** How long the jobs of a killed worker wait until another worker claims them, milliseconds. */
const lease = 30_000
/** The lease of domain checks, which may wait for name servers that do not reply. */
const checkLease = 120_000
/** The lease of retention: each account has a time slice of some seconds. */
const retentionLease = 60_000
/** The lease of campaigns: each has a time slice of some seconds, and its last step may be slow. */
const campaignLease = 60_000
/** The lease of imports: each has a time slice of some seconds, and its last batch may be slow. */
const importLease = 60_000

/** The handlers of all queues. */
export const makeHandlers = Effect.gen(function* () {
  const queue = yield* JobQueue
  const deliveries = yield* Deliveries
  const events = yield* EventProcessing
  const release = yield* Release
  const { run: checkDomains } = yield* DomainChecks
  const bulk = yield* BulkRun
  const imports = yield* ImportRun
  const notifications = yield* NotificationSender
  const { run: eraseExpiredEmails } = yield* Retention
  const { run: deleteExpiredRuns } = yield* RunRetention
  const { run: sweepContent } = yield* ContentSweep
  const calls = yield* WebhookStepSender
  const campaigns = yield* CampaignRun
  const runs = yield* RunAdvancer
  const segmentStarts = yield* SegmentStarts
  const { run: countSegments } = yield* SegmentSizes
  const storeErasure = yield* StoreErasure
  const { run: eraseCompanies } = yield* CompanyErasure
  const abandonedCarts = yield* AbandonedCarts
  const conversions = yield* Conversions
  const mail = yield* UserMails
  const tlsReports = yield* TlsReports
  const standings = yield* Standings
  return {
    calls,
    campaigns: {
      batch: 1,
      lease: campaignLease,
      handle: Effect.fnUntraced(function* (jobs) {
        const kinds = Map.groupBy(jobs, (job) => (segmentStartsJob.owns(job) ? segmentStarts : campaigns))
        yield* Effect.forEach(kinds, ([{ handle }, group]) => handle(group), { discard: true })
      }),
      onBuried: Effect.fnUntraced(function* (jobs) {
        const kinds = Map.groupBy(jobs, (job) => (segmentStartsJob.owns(job) ? segmentStarts : campaigns))
        yield* Effect.forEach(kinds, ([{ onBuried }, group]) => onBuried(group), { discard: true })
      })
    },
    carts: { batch: 100, lease, handle: abandonedCarts.record },
    conversions: { batch: 100, lease, handle: conversions.handle },
    deliveries,
    campaignEmails: { ...deliveries, pool: deliveries.pool.partOf("campaignEmails", campaignShare) },
    domains: {
      batch: 20,
      lease: checkLease,
      handle: Effect.fnUntraced(function* (jobs) {
        const checks = jobs.filter(checkJob.owns)
        const standingJobs = jobs.filter(judgeJob.owns)
        const lanes = yield* laneReleaseJob.decode(queue, jobs.filter(laneReleaseJob.owns))
        const ends = yield* heldEndJob.decode(queue, jobs.filter(heldEndJob.owns))
        const others = [checkJob, judgeJob, laneReleaseJob, heldEndJob]
        const releases = yield* releaseJob.decode(
          queue,
          jobs.filter((job) => !others.some(({ owns }) => owns(job)))
        )
        for (const { job, payload } of lanes) yield* retryConflicts(release.lane(job.accountId, payload))
        if (lanes.length > 0) yield* queue.complete(lanes.map(({ job }) => job))
        for (const { job, payload } of ends) yield* retryConflicts(release.end(job.accountId, payload))
        if (ends.length > 0) yield* queue.complete(ends.map(({ job }) => job))
        for (const accountId of new Set(releases.map(({ job }) => job.accountId))) {
          yield* retryConflicts(release.run(accountId))
        }
        if (releases.length > 0) yield* queue.complete(releases.map(({ job }) => job))
        if (standingJobs.length > 0) yield* standings.run(standingJobs)
        if (checks.length > 0) yield* checkDomains(checks)
      })
    },
    events,
    imports: {
      batch: 1,
      lease: importLease,
      handle: Effect.fnUntraced(function* (jobs) {
        const isBulk = (job: Job) => bulkRunJob.owns(job) || bulkExpiryJob.owns(job)
        const kinds = Map.groupBy(jobs, (job) => (isBulk(job) ? bulk.handle : imports.handle))
        yield* Effect.forEach(kinds, ([handle, group]) => handle(group), { discard: true })
      })
    },
    mail: {
      ...mail,
      handle: Effect.fnUntraced(function* (jobs) {
        const reports = jobs.filter(tlsReportJob.owns)
        const mails = jobs.filter((job) => !tlsReportJob.owns(job))
        if (mails.length > 0) yield* mail.handle(mails)
        if (reports.length > 0) yield* tlsReports.handle(reports)
      })
    },
    notifications,
    runs: { batch: maxAdvanced, lease, handle: runs.advance },
    retention: {
      batch: 4,
      lease: retentionLease,
      handle: Effect.fnUntraced(function* (jobs) {
        const handlerOf = (job: Job) =>
          runRetentionJob.owns(job)
            ? deleteExpiredRuns
            : segmentSizesJob.owns(job)
              ? countSegments
              : storeErasureJob.owns(job)
                ? storeErasure.run
                : companyErasureJob.owns(job)
                  ? eraseCompanies
                  : contentRemovalJob.owns(job) || objectSweepJob.owns(job)
                    ? sweepContent
                    : eraseExpiredEmails
        const kinds = Map.groupBy(jobs, handlerOf)
        yield* Effect.forEach(kinds, ([handle, group]) => handle(group), { discard: true })
      })
    }
  } satisfies Handlers
})
