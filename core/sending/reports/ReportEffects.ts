/**
 * Applies the consequences of proven reports about deliveries: moves them, suppresses addresses, changes consent, counts, and
 * records email events.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { wakeCampaigns } from "../../jobs/definitions/CampaignJobs.ts"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { DeliveryReason } from "../../model/DeliveryStatus.ts"
import type { Attempt } from "../../model/Message.ts"
import type { SourceCounts } from "../../model/Source.ts"
import type { Delivery } from "../../model/Submission.ts"
import { AttemptStore } from "../../ports/AttemptStore.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { SourceStore } from "../../ports/SourceStore.ts"
import { type DeliveryMove, type DeliveryRef, SubmissionStore } from "../../ports/SubmissionStore.ts"
import type { WriteConflict } from "../../ports/Transaction.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { SuppressionStore } from "../../ports/SuppressionStore.ts"
import { moveUnclaimed } from "../delivery/DeliveryRules.ts"
import { deliveryKey } from "../delivery/DispatchPlan.ts"
import { EmailEvents, eventOf } from "../fanout/EmailEvents.ts"
import { added, dayOf, groupOf } from "../sources/WarmUpRules.ts"
import { KnownProviders } from "../shaping/Providers.ts"
import type { LaterCount } from "../standing/LaterCounts.ts"
import { providerOfServer } from "../standing/StandingCounts.ts"
import { AddressReports } from "../suppressions/AddressReports.ts"
import { canBeCorrected, type Consequence } from "./ReportRules.ts"

/** Whether a server rejected a message that was accepted before, for a reason other than its address. */
const isLatePolicy = ({ reason }: { readonly reason: DeliveryReason | null }): boolean =>
  reason === "sending.refused"

/** A locked delivery that reports concern. */
export interface LockedDelivery {
  readonly delivery: Delivery
  /** Whether its state comes from an earlier report, so that another report may correct it. */
  readonly isReported: boolean
}

/** Applies reports about deliveries. */
export class ReportEffects extends Context.Service<ReportEffects>()("svc/sending/ReportEffects", {
  make: Effect.gen(function* () {
    const submissions = yield* SubmissionStore
    const suppressions = yield* SuppressionStore
    const events = yield* EmailEvents
    const addressReports = yield* AddressReports
    const attempts = yield* AttemptStore
    const sources = yield* SourceStore
    const table = yield* KnownProviders
    const ids = yield* Ids
    const queue = yield* JobQueue

    /** Counts reports for the sources that sent the messages, on today's counters. The warm-up of sources depends on these. */
    const countForSources = Effect.fnUntraced(function* (
      reported: ReadonlyArray<{ readonly attempt: Attempt; readonly counts: Partial<SourceCounts> }>
    ) {
      const known = reported.filter(({ attempt }) => attempt.source !== null)
      if (known.length === 0) return
      const sourceIds = new Map((yield* sources.all).sources.map(({ address, id }) => [address, id]))
      const day = dayOf(yield* Clock.currentTimeMillis)
      const byKey = Map.groupBy(
        known.flatMap(({ attempt: { host, source }, counts }) => {
          const sourceId = sourceIds.get(source!)
          return sourceId === undefined
            ? []
            : [{ sourceId, bucket: groupOf(providerOfServer(table, host)), counts }]
        }),
        ({ bucket, sourceId }) => `${sourceId} ${bucket}`
      )
      const keys = [...byKey.values()].map(([first]) => ({ ...first!, day }))
      const rows = yield* sources.lockDays(keys.map(({ bucket, sourceId }) => ({ sourceId, day, bucket })))
      yield* sources.putDays(
        rows.map((row) => ({
          ...row,
          ...(byKey.get(`${row.sourceId} ${row.bucket}`) ?? []).reduce<SourceCounts>(
            (sum, { counts }) => added(sum, counts),
            row
          )
        }))
      )
    })

    /**
     * Returns how complaints and late rejections count for the standing, and counts them for the sources that sent the
     * messages.
     */
    const count = Effect.fnUntraced(function* (applied: ReadonlyArray<Consequence>) {
      const counted = applied.filter(
        ({ addressReport, moves }) => addressReport !== null || moves.some(isLatePolicy)
      )
      if (counted.length === 0) return []
      const tried = yield* attempts.of(counted.map(({ delivery }) => delivery))
      const known = counted.flatMap(({ addressReport, delivery }) => {
        const attempt = tried.findLast(({ deliveryId }) => deliveryId === delivery.id)
        const counts =
          addressReport === "Complained"
            ? { complained: 1 }
            : addressReport === "Bounced"
              ? { bounced: 1 }
              : { policy: 1 }
        return attempt === undefined ? [] : [{ attempt, counts, delivery }]
      })
      yield* countForSources(known)
      return known
    })

    /** Wakes campaigns, which complaints and late bounces may have to pause. */
    const wake = Effect.fnUntraced(function* (applied: ReadonlyArray<Consequence>, now: number) {
      const counted = applied.filter(({ addressReport }) => addressReport !== null)
      for (const [accountId, group] of Map.groupBy(counted, ({ delivery }) => delivery.accountId)) {
        const submissionIds = group.map(({ delivery }) => delivery.submissionId)
        const found = yield* submissions.campaignsOf(accountId, submissionIds)
        const campaignIds = [...new Set(found.map(({ campaignId }) => campaignId))]
        yield* wakeCampaigns(queue, ids, accountId, campaignIds, now)
      }
    })

    /** Makes the moves of deliveries, in order. Returns the consequences of which every move was made. */
    const move = Effect.fnUntraced(function* (consequences: ReadonlyArray<Consequence>, now: number) {
      let left = consequences
      for (let step = 0; left.some(({ moves }) => moves.length > step); step++) {
        const moves = left.flatMap((one): ReadonlyArray<DeliveryMove> => {
          const next = one.moves[step]
          if (next === undefined) return []
          const from = one.moves[step - 1]?.to ?? one.delivery.status
          return [moveUnclaimed({ ...one.delivery, status: from }, [next.to, next.reason], now)]
        })
        const moved = new Set((yield* submissions.move(moves)).map(deliveryKey))
        left = left.filter((one) => one.moves.length <= step || moved.has(deliveryKey(one.delivery)))
      }
      return left
    })

    return {
      /**
       * Locks the suppression lists of the deliveries' accounts in the caller's transaction, and reads the deliveries, since
       * the address of a recipient who is erased meanwhile must not be listed. Returns for each whether its state comes from a
       * report.
       */
      lock: Effect.fn("ReportEffects.lock")(function* (refs: ReadonlyArray<DeliveryRef>) {
        yield* suppressions.lock([...new Set(refs.map(({ accountId }) => accountId))], "Listing")
        const deliveries = yield* submissions.deliveries(refs)
        const ended = deliveries.filter(({ status }) => status === "Failed")
        const tried = ended.length === 0 ? [] : yield* attempts.of(ended)
        const last = new Map(
          tried.map(({ accountId, deliveryId: id, outcome }) => [deliveryKey({ accountId, id }), outcome])
        )
        return deliveries.map((delivery): LockedDelivery => ({
          delivery,
          isReported: canBeCorrected(delivery, last.get(deliveryKey(delivery)) ?? null)
        }))
      }),
      /**
       * Applies consequences, at most one for each delivery, in the transaction that locked the deliveries. A delivery that
       * another report moved meanwhile is left unchanged. Returns what the caller must finally count with `LaterCounts`.
       */
      apply: Effect.fn("ReportEffects.apply")(function* (
        consequences: ReadonlyArray<Consequence>
      ): Effect.fn.Return<ReadonlyArray<LaterCount>, WriteConflict | Unavailable> {
        const now = yield* Clock.currentTimeMillis
        const applied = yield* move(consequences, now)
        // This includes erased recipients, who get no event, so that a repeated complaint counts once.
        yield* submissions.engage(
          "complained",
          applied
            .filter(({ events: happened }) => happened.some(({ type }) => type === "email.complained"))
            .map(({ delivery: { accountId, id } }) => ({ accountId, id })),
          now
        )
        yield* addressReports.apply(
          applied.flatMap(({ addressReport, delivery: { accountId, email } }) =>
            addressReport === null || email === "" ? [] : [{ accountId, email, kind: addressReport }]
          ),
          now
        )
        const emailEvents = applied.flatMap(({ delivery, events: happened }) =>
          happened.flatMap((event) => eventOf(delivery, event, now))
        )
        if (emailEvents.length > 0) yield* events.record(emailEvents)
        yield* wake(applied, now)
        return yield* count(applied)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(ReportEffects, ReportEffects.make).pipe(
    Layer.provide(AddressReports.layer),
    builtOnce
  )
}
