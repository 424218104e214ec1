/**
 * Counts events after a message's delivery for the standing of its account: complaints, late rejections, unsubscribes and
 * visits. Wakes campaigns whose emails led to unsubscribes.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { UnsubscribeCounts } from "../../audience/pages/UnsubscribeCounts.ts"
import { wakeCampaigns } from "../../jobs/definitions/CampaignJobs.ts"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Attempt } from "../../model/Message.ts"
import type { BucketCounts } from "../../model/Standing.ts"
import type { Delivery } from "../../model/Submission.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AttemptStore } from "../../ports/AttemptStore.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { domainOfAddress } from "../../shared/EmailAddress.ts"
import { KnownProviders } from "../shaping/Providers.ts"
import { laterChange } from "./StandingCounts.ts"
import { StandingGate } from "./StandingGate.ts"

/** What happened to a delivery. */
export interface LaterCount {
  readonly delivery: Pick<Delivery, "accountId" | "id" | "submissionId">
  readonly counts: Partial<BucketCounts>
  /** The delivery's last attempt; null if it has none, and then nothing is counted. If left out, it is read. */
  readonly attempt?: Attempt | null
}

/** Counts events after delivery. */
export class LaterCounts extends Context.Service<
  LaterCounts,
  {
    /**
     * Counts in the hours of the deliveries, in the caller's transaction. Deliveries of a sandbox have no attempts and do not
     * count. Needs one statement, and those that read the facts for the counts; none if there is nothing to count. Wakes the
     * campaigns whose emails led to unsubscribes. Must be called once and last, so that the rows in which others of the
     * account count are locked only briefly, and in one order.
     */
    readonly count: (known: ReadonlyArray<LaterCount>) => Effect.Effect<void, Unavailable>
  }
>()("svc/sending/LaterCounts", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const attempts = yield* AttemptStore
    const ids = yield* Ids
    const queue = yield* JobQueue
    const submissions = yield* SubmissionStore
    const standing = yield* StandingGate
    const table = yield* KnownProviders

    const withAttempts = Effect.fnUntraced(function* (known: ReadonlyArray<LaterCount>) {
      const unread = known.filter(({ attempt }) => attempt === undefined)
      const tried = unread.length === 0 ? [] : yield* attempts.of(unread.map(({ delivery }) => delivery))
      // Attempts are in order of age, oldest first, so the map keeps the last attempt of each delivery.
      const last = new Map(tried.map((attempt) => [attempt.deliveryId, attempt]))
      return known.flatMap(({ attempt: given, counts, delivery }) => {
        const attempt = given === undefined ? last.get(delivery.id) : given
        return attempt === null || attempt === undefined ? [] : [{ attempt, counts, delivery }]
      })
    })

    /** Wakes the campaigns whose emails led to unsubscribes, since many unsubscribes are reported. */
    const wake = Effect.fnUntraced(function* (known: ReadonlyArray<LaterCount>) {
      const unsubscribed = known.filter(({ counts }) => (counts.unsubscribed ?? 0) > 0)
      const now = yield* Clock.currentTimeMillis
      for (const [accountId, group] of Map.groupBy(unsubscribed, ({ delivery }) => delivery.accountId)) {
        const submissionIds = [...new Set(group.map(({ delivery }) => delivery.submissionId))]
        const found = yield* submissions.campaignsOf(accountId, submissionIds)
        const campaignIds = [...new Set(found.map(({ campaignId }) => campaignId))]
        yield* wakeCampaigns(queue, ids, accountId, campaignIds, now)
      }
    })

    return {
      count: Effect.fn("LaterCounts.count")(function* (known) {
        yield* wake(known)
        const sent = yield* withAttempts(known)
        if (sent.length === 0) return
        const accountIds = [...new Set(sent.map(({ delivery }) => delivery.accountId))]
        const owners = new Map((yield* accounts.find(accountIds)).map((account) => [account.id, account]))
        const changes = []
        for (const [accountId, group] of Map.groupBy(sent, ({ delivery }) => delivery.accountId)) {
          const submissionIds = [...new Set(group.map(({ delivery }) => delivery.submissionId))]
          const found = new Map(
            (yield* submissions.find(accountId, submissionIds)).map((one) => [one.id, one])
          )
          for (const { attempt, counts, delivery } of group) {
            const submission = found.get(delivery.submissionId)
            const from = submission?.from ?? owners.get(accountId)?.settings.defaultSender ?? null
            if (submission === undefined || from === null) continue
            const stream = submission.marketing === null ? "Transactional" : "Marketing"
            const key = { accountId, stream, domain: domainOfAddress(from.email) } as const
            changes.push(laterChange(table, key, counts, attempt))
          }
        }
        yield* standing.count(changes)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(LaterCounts, LaterCounts.make).pipe(
    Layer.provide(StandingGate.layer),
    builtOnce
  )
}

/** The count of an email by whose link its recipient unsubscribed. */
export const unsubscribedBy = (delivery: Delivery): LaterCount => ({ delivery, counts: { unsubscribed: 1 } })

/** The counts that the hosted pages make. */
export const unsubscribeCounts = Layer.effect(
  UnsubscribeCounts,
  Effect.map(LaterCounts, ({ count }) => ({ count: (deliveries) => count(deliveries.map(unsubscribedBy)) }))
).pipe(Layer.provide(LaterCounts.layer))
