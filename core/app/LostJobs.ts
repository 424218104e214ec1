/**
 * Enqueues jobs for waiting work that has none: emails, flow runs, campaigns, imports, bulk jobs, events, notifications, flows on
 * segments, and the checks of domains. A state and its job change in one transaction, so nothing is found unless a job was lost
 * by mistake. Without this, the work would wait indefinitely.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { bulkRunJob } from "../jobs/definitions/BulkJobs.ts"
import { campaignJob } from "../jobs/definitions/CampaignJobs.ts"
import { deliveryJob } from "../jobs/definitions/DeliveryJobs.ts"
import { checkJob } from "../jobs/definitions/DomainJobs.ts"
import { eventJob } from "../jobs/definitions/EventJobs.ts"
import { importRunJob, runJob } from "../jobs/definitions/ImportJobs.ts"
import { advanceRunJob, segmentStartsJob } from "../jobs/definitions/RunJobs.ts"
import { wakeupJob } from "../jobs/definitions/WebhookJobs.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import { noAccount } from "../model/Account.ts"
import { maxCampaigns } from "../model/Campaign.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { BulkJobStore } from "../ports/BulkJobStore.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import { DomainStore } from "../ports/DomainStore.ts"
import { EventStore } from "../ports/EventStore.ts"
import { FlowStore } from "../ports/FlowStore.ts"
import { ImportStore } from "../ports/ImportStore.ts"
import { JobQueue, type NewJob, type Queue } from "../ports/JobQueue.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import { RateLimits } from "../ports/RateLimits.ts"
import { type ActiveRun, RunStore } from "../ports/RunStore.ts"
import { type DeliveryMove, type ListedDelivery, SubmissionStore } from "../ports/SubmissionStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { movesThrough, statesAfterBurial } from "../sending/delivery/DeliveryRules.ts"
import { deliveryKey, firstDue } from "../sending/delivery/DispatchPlan.ts"
import { maxHeld } from "../sending/shaping/SuspensionRules.ts"
import { readAll } from "../shared/Page.ts"
import { timeOfId } from "../shared/Uuid.ts"

const hourMillis = 3_600_000
/** How long deliveries and runs must have been unchanged or due before they are examined, in milliseconds. */
const quietMillis = hourMillis
/** The number of deliveries or runs that are examined together. */
const pageSize = 500

/** Waiting work, with the key of its job. */
interface Waiting {
  readonly key: string
  readonly job: (id: string) => NewJob
}

/** Finds waiting work that has no job. */
export class LostJobs extends Context.Service<LostJobs>()("svc/app/LostJobs", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const atomically = yield* Atomically
    const bulkJobs = yield* BulkJobStore
    const campaigns = yield* CampaignStore
    const domains = yield* DomainStore
    const events = yield* EventStore
    const flows = yield* FlowStore
    const ids = yield* Ids
    const imports = yield* ImportStore
    const limits = yield* RateLimits
    const notifications = yield* NotificationStore
    const queue = yield* JobQueue
    const runs = yield* RunStore
    const submissions = yield* SubmissionStore
    const webhooks = yield* WebhookStore

    const withoutJob = Effect.fnUntraced(function* <A extends { readonly key: string }>(
      accountId: string,
      names: ReadonlyArray<Queue>,
      waiting: ReadonlyArray<A>
    ) {
      const keys = waiting.map(({ key }) => key)
      const times = yield* queue.dueTimes(accountId, names, keys)
      return waiting.filter(({ key }) => !times.has(key))
    })

    const enqueue = Effect.fnUntraced(function* (waiting: ReadonlyArray<Waiting>) {
      const newIds = yield* ids.many(waiting.length)
      yield* queue.enqueue(waiting.map(({ job }, index) => job(newIds[index]!)))
      return waiting.length
    })

    /** Enqueues jobs for work that has none. Returns how many. */
    const recoverAmong = (accountId: string, name: Queue, waiting: ReadonlyArray<Waiting>) =>
      Effect.flatMap(withoutJob(accountId, [name], waiting), enqueue)

    /** Enqueues jobs for deliveries. Deliveries that have waited for longer than mail may be held become Failed instead. */
    const recoverDeliveries = Effect.fnUntraced(function* (accountId: string, lost: ReadonlySet<string>) {
      const now = yield* Clock.currentTimeMillis
      const found = yield* submissions.unloaded([...lost].map((id) => ({ accountId, id })))
      const jobs: Array<Waiting> = []
      const ends: Array<ReadonlyArray<DeliveryMove>> = []
      for (const submission of found) {
        const isMarketing = submission.marketing !== null
        const isOfCampaign = submission.marketing?.campaign !== undefined
        for (const delivery of submission.deliveries.filter(({ id }) => lost.has(id))) {
          if (firstDue(submission, delivery, now) + maxHeld(isMarketing) > now) {
            const payload = { deliveryId: delivery.id }
            const job = (id: string) => deliveryJob.job(isOfCampaign, { id, accountId, payload, runAt: now })
            jobs.push({ key: delivery.id, job })
            continue
          }
          const steps = statesAfterBurial(delivery, "sending.held_too_long")
          ends.push(movesThrough(delivery, steps, delivery.attempts, now))
        }
      }
      const moved = new Set(
        (yield* submissions.move(ends.flatMap((moves) => moves.slice(0, 1)))).map(deliveryKey)
      )
      yield* submissions.move(
        ends.flatMap((moves) => moves.slice(1)).filter((move) => moved.has(deliveryKey(move)))
      )
      yield* enqueue(jobs)
      return lost.size
    }, atomically)

    const deliveriesOf = Effect.fnUntraced(function* (accountId: string) {
      const quiet = (yield* Clock.currentTimeMillis) - quietMillis
      let count = 0
      for (const status of ["Queued", "HandingOff"] as const) {
        let page: ReadonlyArray<ListedDelivery> = []
        do {
          page = yield* submissions.inStatus(accountId, status, page.at(-1) ?? null, pageSize)
          // Deliveries without a verified sender get their jobs when the domain is verified.
          const waiting = page.filter(
            ({ reason, updatedAt }) => updatedAt < quiet && reason !== "sending.no_verified_sender"
          )
          const lost = yield* withoutJob(
            accountId,
            deliveryJob.queues,
            waiting.map(({ id }) => ({ key: id }))
          )
          if (lost.length > 0)
            count += yield* recoverDeliveries(accountId, new Set(lost.map(({ key }) => key)))
        } while (page.length >= pageSize)
      }
      return count
    })

    const runsOf = Effect.fnUntraced(function* (accountId: string) {
      const now = yield* Clock.currentTimeMillis
      let count = 0
      let page: ReadonlyArray<ActiveRun> = []
      do {
        page = yield* runs.active(accountId, page.at(-1) ?? null, pageSize)
        const waiting = page.flatMap(({ dueAt, id: runId }): ReadonlyArray<Waiting> =>
          dueAt === null || dueAt >= now - quietMillis
            ? []
            : [
                {
                  key: runId,
                  job: (id) => advanceRunJob.job({ id, accountId, payload: { runId }, runAt: now })
                }
              ]
        )
        count += yield* recoverAmong(accountId, "runs", waiting)
      } while (page.length >= pageSize)
      return count
    })

    const campaignsOf = Effect.fnUntraced(function* (accountId: string) {
      const runAt = yield* Clock.currentTimeMillis
      const found = yield* campaigns.uses(accountId, ["Scheduled", "Sending"], null, maxCampaigns)
      const waiting = found.map(({ id: campaignId }): Waiting => ({
        key: campaignJob.keyOf({ campaignId })!,
        job: (id) => campaignJob.job({ id, accountId, payload: { campaignId }, runAt })
      }))
      return yield* recoverAmong(accountId, "campaigns", waiting)
    })

    const importsOf = Effect.fnUntraced(function* (accountId: string) {
      const runAt = yield* Clock.currentTimeMillis
      const found = yield* readAll((page) => imports.list(accountId, page, ["Queued", "Running"]))
      const waiting = found.map((one): Waiting => ({
        key: importRunJob.keyOf({ importId: one.id })!,
        job: (id) => runJob(id, one, runAt)
      }))
      return yield* recoverAmong(accountId, "imports", waiting)
    })

    const checksOf = Effect.fnUntraced(function* (accountId: string) {
      const runAt = yield* Clock.currentTimeMillis
      const found = yield* readAll((page) => domains.list(accountId, page))
      const waiting = found.map(({ id: domainId }): Waiting => ({
        key: checkJob.keyOf({ domainId })!,
        job: (id) => checkJob.job({ id, accountId, payload: { kind: "check", domainId }, runAt })
      }))
      return yield* recoverAmong(accountId, "domains", waiting)
    })

    const segmentsOf = Effect.fnUntraced(function* (accountId: string) {
      const runAt = yield* Clock.currentTimeMillis
      const started = yield* flows.onSegments(accountId)
      const job = (id: string) => segmentStartsJob.job({ id, accountId, payload: {}, runAt })
      const waiting = started.length === 0 ? [] : [{ key: segmentStartsJob.keyOf({})!, job }]
      return yield* recoverAmong(accountId, "campaigns", waiting)
    })

    /** Jobs of events have no key. An additional job is harmless if the events are only waiting for others. */
    const eventsOf = Effect.fnUntraced(function* (accountId: string) {
      const now = yield* Clock.currentTimeMillis
      const [first] = yield* atomically(events.claimBatch(accountId, 1, 1))
      if (first === undefined || timeOfId(first.id) >= now - quietMillis) return 0
      return yield* enqueue([
        { key: first.id, job: (id) => eventJob.job({ id, accountId, payload: null, runAt: now }) }
      ])
    })

    /** Jobs of webhooks have no key either. */
    const webhooksOf = Effect.fnUntraced(function* (accountId: string) {
      const now = yield* Clock.currentTimeMillis
      const refs = (yield* webhooks.active([accountId])).map(({ id: webhookId }) => ({
        accountId,
        webhookId
      }))
      if (refs.length === 0) return 0
      const due = yield* notifications.due(refs, now - quietMillis, now - quietMillis)
      return yield* enqueue(
        due.map(({ webhookId }) => ({
          key: webhookId,
          job: (id) => wakeupJob.job({ id, accountId, payload: { webhookId }, runAt: now })
        }))
      )
    })

    const bulkJobsOf = Effect.fnUntraced(function* (accountId: string) {
      const runAt = yield* Clock.currentTimeMillis
      const found = yield* readAll((page) => bulkJobs.list(accountId, { state: ["Queued", "Running"] }, page))
      const waiting = found.map(({ id: jobId }): Waiting => ({
        key: bulkRunJob.keyOf({ jobId })!,
        job: (id) => bulkRunJob.job({ id, accountId, payload: { jobId, step: "Run" }, runAt })
      }))
      return yield* recoverAmong(accountId, "imports", waiting)
    })

    const recover = Effect.gen(function* () {
      const companies = yield* readAll((page) => accounts.companies(page))
      for (const { deletedAt, liveAccountId, sandboxAccountId } of companies) {
        if (deletedAt !== null) continue
        for (const accountId of [liveAccountId, sandboxAccountId]) {
          const counts = {
            emails: yield* deliveriesOf(accountId),
            runs: yield* runsOf(accountId),
            campaigns: yield* campaignsOf(accountId),
            imports: yield* importsOf(accountId),
            bulkJobs: yield* bulkJobsOf(accountId),
            events: yield* eventsOf(accountId),
            webhooks: yield* webhooksOf(accountId),
            segments: yield* segmentsOf(accountId),
            // Domains of sandboxes are not checked.
            domains: accountId === liveAccountId ? yield* checksOf(accountId) : 0
          }
          if (Object.values(counts).every((count) => count === 0)) continue
          yield* Effect.annotateLogs(Effect.logWarning("work without a job continues"), {
            account: accountId,
            ...counts
          })
        }
      }
    })

    return {
      /**
       * Enqueues jobs for waiting work that has none. Emails that have waited for longer than mail may be held become Failed
       * instead. Reads in pages by indexes. Repeating it is harmless.
       */
      recover,
      /** Like `recover`, unless a process of the installation has already run it in the current hour. */
      recoverHourly: Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const windowStart = now - (now % hourMillis)
        const hit = { accountId: noAccount, subject: "lost-jobs", windowStart, amount: 1 }
        const [count = 0] = yield* limits.count([hit])
        if (count === 1) yield* recover
      })
    }
  })
}) {
  static readonly layer = Layer.effect(LostJobs, LostJobs.make)
}
