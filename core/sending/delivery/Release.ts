/**
 * Releases emails that wait: for a verified sender once there may be one, for the daily cap once there may be room, for the end of
 * a hold of marketing, for a lane that takes mail again.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { deliveryJob } from "../../jobs/definitions/DeliveryJobs.ts"
import { laneReleaseJob } from "../../jobs/definitions/DomainJobs.ts"
import { Ids } from "../../kernel/Ids.ts"
import { rateAt, widthAt } from "../../model/Lane.ts"
import type { Delivery } from "../../model/Submission.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { ShapingStore } from "../../ports/ShapingStore.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { KnownProviders } from "../shaping/Providers.ts"
import { poolLane } from "../shaping/Shaping.ts"

/** How many deliveries are released in one transaction. */
const pageSize = 500

/** The reasons of waiting deliveries that are released. */
const reasons = ["sending.no_verified_sender", "sending.daily_cap", "sending.standing_held"] as const

/** The most emails that are released on a lane at a time, for each connection that it may have. */
const perPlace = 10
/** How soon more are released on a lane, milliseconds. */
export const laneReleaseMillis = 2_000
/** How many more are released on a lane than leave at its pace, so that none of its turns is lost. */
const pastPace = 1.5

/** Releases emails that wait. */
export class Release extends Context.Service<Release>()("svc/sending/Release", {
  make: Effect.gen(function* () {
    const submissions = yield* SubmissionStore
    const jobs = yield* JobQueue
    // Not `atomically`: each page is a transaction, and the caller repeats the whole.
    const transaction = yield* Transaction
    const ids = yield* Ids
    const lanes = yield* ShapingStore
    const table = yield* KnownProviders

    /** Gives deliveries jobs that are due now: those that have one, due later, in its place; `isNew` those that have none. */
    const makeDue = Effect.fnUntraced(function* (
      accountId: string,
      waiting: ReadonlyArray<Delivery>,
      isNew: boolean
    ) {
      const now = yield* Clock.currentTimeMillis
      const jobIds = yield* ids.many(waiting.length)
      const given = waiting.map(({ id: deliveryId }, index) => ({ deliveryId, id: jobIds[index]! }))
      return isNew
        ? jobs.enqueue(
            given.map(({ deliveryId, id }) =>
              deliveryJob.job({ id, accountId, payload: { deliveryId }, runAt: now })
            )
          )
        : deliveryJob.makeDue(jobs, accountId, given, now)
    })

    /** How many may be released on a lane now, and how soon more. */
    const roomOn = Effect.fnUntraced(function* (lane: string) {
      const now = yield* Clock.currentTimeMillis
      const { items } = yield* lanes.lanes({ page: 1, pageSize: 10 }, { lane: [lane] })
      const row = items.find((one) => one.lane === lane)
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

    const releaseLane = Effect.fn("Release.lane")(function* (accountId: string, lane: string) {
      const { most, millis } = yield* roomOn(lane)
      const held = yield* submissions.held(lane, accountId, null, most + 1)
      if (held.length === 0) return
      const due = yield* makeDue(accountId, held.slice(0, most), false)
      const { items: open } = yield* lanes.page(
        { page: 1, pageSize: 1 },
        { lane: [lane], concerns: accountId, open: true }
      )
      // Where it is still suspended, those that are sent to find out release the others.
      const goesOn = held.length > most && open.length === 0 && !lane.startsWith(poolLane)
      const now = yield* Clock.currentTimeMillis
      const next = laneReleaseJob.job({
        id: yield* ids.next,
        accountId,
        payload: { kind: "lane", lane },
        runAt: now + millis
      })
      yield* transaction.run(goesOn ? Effect.andThen(due, jobs.enqueue([next])) : due)
    })

    const releaseAll = Effect.fnUntraced(function* (accountId: string, reason: (typeof reasons)[number]) {
      let after: string | null = null
      while (true) {
        const waiting: ReadonlyArray<Delivery> = yield* submissions.waiting(
          accountId,
          reason,
          after,
          pageSize
        )
        const last = waiting.at(-1)
        if (last === undefined) return
        // Deliveries beyond the cap, and those held, have jobs that are due later.
        yield* transaction.run(yield* makeDue(accountId, waiting, reason === "sending.no_verified_sender"))
        after = last.id
      }
    })

    return {
      /**
       * Makes some of an account's deliveries due that are held on a lane: at most ten for each connection that it may have, fewer
       * where it is sent to at a pace. The others follow. Repeating it is harmless.
       */
      lane: releaseLane,
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
