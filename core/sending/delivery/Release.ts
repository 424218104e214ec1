/**
 * Ends the wait of emails. Releases emails that wait for a verified sender, for the daily cap, for the end of a hold of
 * marketing, or for a lane, once any of these may have changed. Fails the emails that an operator gave up.
 *
 * A lane is one destination from one source. Held emails are grouped in lines: those of one account's sending domain and
 * stream.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { campaignJob } from "../../jobs/definitions/CampaignJobs.ts"
import { deliveryJob } from "../../jobs/definitions/DeliveryJobs.ts"
import {
  type HeldEnd,
  heldEndJob,
  type LaneRelease,
  laneReleaseJob
} from "../../jobs/definitions/DomainJobs.ts"
import { Ids } from "../../kernel/Ids.ts"
import { rateAt, widthAt } from "../../model/Lane.ts"
import { type Delivery, linesOf } from "../../model/Submission.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { ShapingStore } from "../../ports/ShapingStore.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { readAll } from "../../shared/Page.ts"
import { KnownProviders } from "../shaping/Providers.ts"
import { poolLane } from "../shaping/Shaping.ts"
import { movesThrough, moveUnclaimed, stepsToFailed } from "./DeliveryRules.ts"

/** The number of deliveries released in one transaction. */
const pageSize = 500

/** The reasons of waiting deliveries that `run` releases. */
const reasons = ["sending.no_verified_sender", "sending.daily_cap", "sending.standing_held"] as const

/** The number of deliveries ended in one transaction. Other work runs between two transactions. */
const perEnd = 200

/** The maximum number of emails released on a lane at a time, for each connection that the lane may have. */
const perPlace = 10
/** The time until more are released on a lane, milliseconds. */
export const laneReleaseMillis = 2_000
/** How many more emails are released on a lane than its pace allows, as a factor, so that no slot of the pace stays unused. */
const pastPace = 1.5

/** Releases emails that wait. */
export class Release extends Context.Service<Release>()("svc/sending/Release", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const submissions = yield* SubmissionStore
    const jobs = yield* JobQueue
    // Not `atomically`: each page has its own transaction, and the caller repeats the whole run.
    const transaction = yield* Transaction
    const ids = yield* Ids
    const lanes = yield* ShapingStore
    const table = yield* KnownProviders

    /** How many deliveries may be released on a lane now, and when more may be, in milliseconds from now. */
    const roomOn = Effect.fnUntraced(function* (lane: string) {
      const now = yield* Clock.currentTimeMillis
      const found = yield* readAll((request) => lanes.lanes(request, { lane: [lane] }))
      const row = found.find((one) => one.lane === lane)
      const { maxWidth, startWidth } = table.rules(table.ofLane(lane), row?.override ?? null)
      const width =
        row === undefined ? startWidth : widthAt(row, { startLimit: startWidth, maxLimit: maxWidth }, now)
      const most = perPlace * Math.max(1, width)
      const pace = row?.pace ?? null
      if (pace === null || pace.until <= now) return { most, millis: laneReleaseMillis }
      const rate = (pastPace * rateAt(pace, now)) / 60_000
      const count = Math.min(most, Math.ceil(rate * laneReleaseMillis))
      return { most: count, millis: Math.max(laneReleaseMillis, Math.ceil(count / rate)) }
    })

    const releaseLane = Effect.fn("Release.lane")(function* (
      accountId: string,
      { lane, sender, until }: Pick<LaneRelease, "lane" | "sender" | "until">
    ) {
      const { most, millis } = yield* roomOn(lane)
      const held = yield* submissions.held(lane, accountId, linesOf(sender), most + 1)
      const now = yield* Clock.currentTimeMillis
      const isLooking = until !== undefined && now < until
      if (held.length === 0 && !isLooking) return
      const concerns = { lane: [lane], concerns: accountId, open: { is: true, at: now } }
      const open = yield* readAll((request) => lanes.page(request, concerns))
      const isHeld = open.some((one) => one.lane === lane && (one.sender === null || one.sender === sender))
      const released = held.slice(0, most)
      const refs = released.map(({ id: deliveryId }) => ({ deliveryId }))
      const found = yield* submissions.campaignsOf(
        accountId,
        released.map(({ submissionId }) => submissionId)
      )
      const campaigns = found.map(({ campaignId }) => ({ campaignId }))
      const newIds = yield* ids.many(campaigns.length)
      // Once these emails have left, the queues of their campaigns have room. Campaigns check for room rarely while nothing is
      // sent.
      const looksAt = now + laneReleaseMillis
      const due = deliveryJob.makeDue(jobs, accountId, refs, now).pipe(
        Effect.andThen(campaignJob.makeDue(jobs, accountId, campaigns, looksAt)),
        // A campaign that is processed just now may have found no room. A job of its own makes it check again, unless one
        // waits.
        Effect.andThen(
          jobs.enqueue(
            campaigns.map((payload, index) =>
              campaignJob.job({ id: newIds[index]!, accountId, payload, runAt: looksAt })
            )
          )
        )
      )
      // While the lane is still suspended, its probes release the others once one succeeds.
      const goesOn = (isLooking || held.length > most) && !isHeld && !lane.startsWith(poolLane)
      const next = laneReleaseJob.job({
        id: yield* ids.next,
        accountId,
        payload: { kind: "lane", lane, sender, ...(until === undefined ? {} : { until }) },
        runAt: now + millis
      })
      yield* transaction.run(goesOn ? Effect.andThen(due, jobs.enqueue([next])) : due)
    })

    const end = Effect.fn("Release.end")(function* (accountId: string, payload: HeldEnd) {
      const { before, lane, sender } = payload
      const held = yield* submissions.held(lane, accountId, linesOf(sender), perEnd, before)
      if (held.length === 0) return
      const now = yield* Clock.currentTimeMillis
      const moves = held.map((delivery) =>
        movesThrough(delivery, stepsToFailed(delivery.status, "sending.given_up"), delivery.attempts, now)
      )
      const refs = held.map(({ id: deliveryId }) => ({ deliveryId }))
      const next = heldEndJob.job({
        id: yield* ids.next,
        accountId,
        payload: { kind: "end", ...payload },
        runAt: now
      })
      yield* transaction.run(
        Effect.gen(function* () {
          yield* submissions.move(moves.flatMap((each) => each.slice(0, 1)))
          yield* submissions.move(moves.flatMap((each) => each.slice(1)))
          yield* deliveryJob.cancel(jobs, accountId, refs)
          yield* jobs.enqueue([next])
        })
      )
    })

    /**
     * Enqueues jobs for deliveries that have none. The deliveries then no longer wait, so a repeated call enqueues no second
     * job.
     */
    const start = Effect.fnUntraced(function* (accountId: string, waiting: ReadonlyArray<Delivery>) {
      const now = yield* Clock.currentTimeMillis
      const moves = waiting.map((delivery) => moveUnclaimed(delivery, ["Queued", null], now))
      const moved = yield* submissions.move(moves)
      const jobIds = yield* ids.many(moved.length)
      const found = yield* submissions.campaignsOf(
        accountId,
        moved.map(({ submissionId }) => submissionId)
      )
      const ofCampaigns = new Set(found.map(({ id }) => id))
      yield* jobs.enqueue(
        moved.map(({ id: deliveryId, submissionId }, index) =>
          deliveryJob.job(ofCampaigns.has(submissionId), {
            id: jobIds[index]!,
            accountId,
            payload: { deliveryId },
            runAt: now
          })
        )
      )
    })

    const releaseAll = Effect.fnUntraced(function* (accountId: string, reason: (typeof reasons)[number]) {
      let after: string | null = null
      const releasePage = Effect.gen(function* () {
        const isWithoutJob = reason === "sending.no_verified_sender"
        // Locked, so that only one release runs at a time, and none while a dispatch decides that a delivery must wait.
        if (isWithoutJob) yield* accounts.lock([accountId])
        const waiting = yield* submissions.waiting(accountId, reason, after, pageSize)
        if (waiting.length === 0) return null
        // Deliveries beyond the cap and held deliveries have jobs that are due later.
        if (isWithoutJob) yield* start(accountId, waiting)
        else {
          const refs = waiting.map(({ id: deliveryId }) => ({ deliveryId }))
          yield* deliveryJob.makeDue(jobs, accountId, refs, yield* Clock.currentTimeMillis)
        }
        return waiting.at(-1)!.id
      })
      do after = yield* transaction.run(releasePage)
      while (after !== null)
    })

    return {
      /**
       * Makes deliveries of an account's sending domain due that are held on a lane, transactional ones first: at most ten for
       * each connection that the lane may have, fewer if the lane has a pace. A further job continues with the others.
       * Idempotent.
       */
      lane: releaseLane,
      /**
       * Fails deliveries of an account's sending domain that a lane has held since before a given time. A further job
       * continues with the others. Idempotent.
       */
      end,
      /**
       * Makes all of an account's deliveries due that wait for a verified sender, for the daily cap or for the end of a hold.
       * Idempotent.
       */
      run: Effect.fn("Release.run")((accountId: string) =>
        Effect.forEach(reasons, (reason) => releaseAll(accountId, reason), { discard: true })
      )
    }
  })
}) {
  static readonly layer = Layer.effect(Release, Release.make)
}
