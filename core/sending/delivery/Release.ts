/**
 * Ends the wait of emails. Releases those that wait: for a verified sender once there may be one, for the daily cap once there may be room, for the end of
 * a hold of marketing, for a lane that takes mail again. Ends those that an operator gave up.
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

/** How many deliveries are released in one transaction. */
const pageSize = 500

/** The reasons of waiting deliveries that are released. */
const reasons = ["sending.no_verified_sender", "sending.daily_cap", "sending.standing_held"] as const

/** How many deliveries are ended in one transaction: other work goes on between two. */
const perEnd = 200

/** The most emails that are released on a lane at a time, for each connection that it may have. */
const perPlace = 10
/** How soon more are released on a lane, milliseconds. */
export const laneReleaseMillis = 2_000
/** How many more are released on a lane than leave at its pace, so that none of its turns is lost. */
const pastPace = 1.5

/** Releases emails that wait. */
export class Release extends Context.Service<Release>()("svc/sending/Release", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const submissions = yield* SubmissionStore
    const jobs = yield* JobQueue
    // Not `atomically`: each page is a transaction, and the caller repeats the whole.
    const transaction = yield* Transaction
    const ids = yield* Ids
    const lanes = yield* ShapingStore
    const table = yield* KnownProviders

    /** How many may be released on a lane now, and how soon more. */
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
      // Once these have left there is room in the queues of their campaigns, which look seldom while nothing leaves.
      const looksAt = now + laneReleaseMillis
      const due = deliveryJob.makeDue(jobs, accountId, refs, now).pipe(
        Effect.andThen(campaignJob.makeDue(jobs, accountId, campaigns, looksAt)),
        // One that is looked at now may have found no room: it is looked at again by a job of its own, unless one waits.
        Effect.andThen(
          jobs.enqueue(
            campaigns.map((payload, index) =>
              campaignJob.job({ id: newIds[index]!, accountId, payload, runAt: looksAt })
            )
          )
        )
      )
      // Where it is still suspended, those that are sent to find out release the others.
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

    /** Makes jobs for deliveries that have none. They no longer wait then: repeating it makes no second job. */
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
        // One at a time, and not while a dispatch decides that a delivery is to wait.
        if (isWithoutJob) yield* accounts.lock([accountId])
        const waiting = yield* submissions.waiting(accountId, reason, after, pageSize)
        if (waiting.length === 0) return null
        // Deliveries beyond the cap, and those held, have jobs that are due later.
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
       * Makes some of an account's deliveries of a sending domain due that are held on a lane, transactional ones first: at most
       * ten for each connection that it may have, fewer where it is sent to at a pace. The others follow. Repeating it is harmless.
       */
      lane: releaseLane,
      /**
       * Ends some of an account's deliveries of a sending domain that a lane holds since before a time, as Failed. The others
       * follow. Repeating it is harmless.
       */
      end,
      /**
       * Makes jobs, due now, for all of an account's deliveries that wait for a verified sender, for the daily cap or for the end of a
       * hold.
       * Repeating it is harmless.
       */
      run: Effect.fn("Release.run")((accountId: string) =>
        Effect.forEach(reasons, (reason) => releaseAll(accountId, reason), { discard: true })
      )
    }
  })
}) {
  static readonly layer = Layer.effect(Release, Release.make)
}
