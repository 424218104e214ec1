/**
 * Holds emails for review, and decides on held ones. With the account setting `reviewFirst`, the first marketing emails of
 * each flow and campaign are sent only after the operator releases them (docs/contributing/decisions.md 5).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Actor } from "../../model/Actor.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { wakeCampaigns } from "../../jobs/definitions/CampaignJobs.ts"
import { deliveryJob } from "../../jobs/definitions/DeliveryJobs.ts"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Account } from "../../model/Account.ts"
import type { Delivery, NewSubmission, SubmissionSummary } from "../../model/Submission.ts"
import { editedBy } from "../../model/Edited.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { CampaignStore } from "../../ports/CampaignStore.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { SendQuota } from "../../ports/SendQuota.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { isUuid } from "../../shared/Uuid.ts"
import { moveUnclaimed, type Step } from "../delivery/DeliveryRules.ts"
import { refusalReason } from "../gate/GateRules.ts"
import { SendGate } from "../gate/SendGate.ts"
import { EmailQueue } from "./EmailQueue.ts"

/** Holds and decides emails under review. */
export class EmailReview extends Context.Service<
  EmailReview,
  {
    /**
     * Returns how many more marketing emails of each flow or campaign will be held, by its id; empty if the account has no
     * review. Needs at most one read.
     */
    readonly remaining: (
      account: Account,
      flowIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, number>, Unavailable>
    /**
     * Holds those of the submissions that must be reviewed, in order, and returns all submissions. Runs in the caller's
     * transaction. The number is exact even if several nodes send for a flow at the same time.
     */
    readonly hold: (
      account: Account,
      submissions: ReadonlyArray<NewSubmission>
    ) => Effect.Effect<ReadonlyArray<NewSubmission>, Unavailable>
    /**
     * Releases the held deliveries of an email, in one transaction with the audit entry. They are sent, or become Suppressed
     * if the gate refuses them now. Returns the resulting submission. Fails with common.not_found, and with
     * sending.email_not_in_review if nothing is held.
     */
    readonly release: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<SubmissionSummary, Problem | Unavailable>
    /**
     * As `release`, but the held deliveries become Failed with the reason sending.review_refused. If the email belongs to a
     * campaign, the campaign is cancelled.
     */
    readonly refuse: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<SubmissionSummary, Problem | Unavailable>
  }
>()("svc/sending/EmailReview", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const atomically = yield* Atomically
    const campaigns = yield* CampaignStore
    const emailQueue = yield* EmailQueue
    const gate = yield* SendGate
    const ids = yield* Ids
    const jobs = yield* JobQueue
    const quota = yield* SendQuota
    const submissions = yield* SubmissionStore
    const { record } = yield* AuditTrail

    const find = Effect.fnUntraced(function* (accountId: string, id: string) {
      const [submission] = isUuid(id) ? yield* submissions.find(accountId, [id.toLowerCase()]) : []
      return submission ?? (yield* Problem.of("common.not_found"))
    })

    /** Moves deliveries that are held, or that an earlier such move returned. */
    const move = (deliveries: ReadonlyArray<Delivery>, stepOf: (delivery: Delivery) => Step, at: number) =>
      submissions.move(deliveries.map((delivery) => moveUnclaimed(delivery, stepOf(delivery), at)))

    /** Moves all held deliveries of an email by one step. Fails with sending.email_not_in_review if none is held. */
    const decide = Effect.fnUntraced(function* (
      { deliveries }: SubmissionSummary,
      step: Step,
      at: number
    ): Effect.fn.Return<ReadonlyArray<Delivery>, Problem | Unavailable> {
      const held = deliveries.filter(({ status }) => status === "PendingReview")
      const moved = held.length === 0 ? [] : yield* move(held, () => step, at)
      return moved.length === 0 ? yield* Problem.of("sending.email_not_in_review") : moved
    })

    /** Cancels the campaign of a rejected email. */
    const cancelCampaign = Effect.fnUntraced(function* (
      accountId: string,
      id: string,
      actor: Actor,
      at: number
    ) {
      const campaign = yield* campaigns.lock(accountId, id)
      if (campaign === null || (campaign.status !== "Sending" && campaign.status !== "Paused")) return
      const { name, status } = campaign
      const cancelled = { ...campaign, status: "Cancelled", statusReason: null, statusAt: at } as const
      yield* campaigns.save({ ...cancelled, ...editedBy(actor, at, campaign) })
      yield* record(actor, {
        accountId,
        action: "campaign.status_changed",
        target: id,
        before: { name, status },
        after: { name, status: "Cancelled", reason: "sending.review_refused" }
      })
      yield* wakeCampaigns(jobs, ids, accountId, [id], at)
    })

    return {
      remaining: Effect.fn("EmailReview.remaining")(function* ({ id, settings: { reviewFirst } }, flowIds) {
        if (reviewFirst === 0 || flowIds.length === 0) return new Map<string, number>()
        const sources = [...new Set(flowIds)]
        const held = yield* quota.held(id, sources)
        return new Map(sources.map((flowId, index) => [flowId, Math.max(0, reviewFirst - held[index]!)]))
      }),

      hold: Effect.fn("EmailReview.hold")(function* ({ id, settings: { reviewFirst } }, given) {
        const reviewed = reviewFirst === 0 ? [] : given.filter(isReviewed)
        const byFlow = Map.groupBy(reviewed, (submission) => sourceOf(submission)!)
        if (byFlow.size === 0) return given
        const granted = yield* quota.hold(
          id,
          reviewFirst,
          [...byFlow].map(([sourceId, group]) => ({ sourceId, wanted: group.length }))
        )
        const held = new Set([...byFlow.values()].flatMap((group, index) => group.slice(0, granted[index])))
        return given.map((submission) => (held.has(submission) ? heldForReview(submission) : submission))
      }),

      release: Effect.fn("EmailReview.release")(function* (accountId, id, actor) {
        const submission = yield* find(accountId, id)
        const at = yield* Clock.currentTimeMillis
        const released = yield* decide(submission, ["Queued", null], at)
        const refusals = yield* gate.refusals(released.map((delivery) => ({ delivery, submission })))
        const refusalOf = (delivery: Delivery) => refusals.get(`${accountId}/${delivery.id}`)
        const refused = released.filter((delivery) => refusalOf(delivery) !== undefined)
        yield* move(refused, (delivery) => ["Suppressed", refusalReason(refusalOf(delivery)!)], at)
        const queued = released.filter((delivery) => refusalOf(delivery) === undefined)
        const [account] = yield* accounts.find([accountId])
        // Whether or not there is room: the operator has decided.
        if (account !== undefined && queued.length > 0) yield* emailQueue.take(account, [queued.length])
        const jobIds = yield* ids.many(queued.length)
        yield* jobs.enqueue(
          queued.map((delivery, index) =>
            deliveryJob.job(submission.source === "Campaign", {
              id: jobIds[index]!,
              accountId,
              payload: { deliveryId: delivery.id },
              runAt: submission.sendAt ?? at
            })
          )
        )
        yield* record(actor, {
          accountId,
          action: "email.released",
          target: submission.id,
          before: { held: released.length },
          after: { queued: queued.length, suppressed: refused.length }
        })
        return yield* find(accountId, id)
      }, atomically),

      refuse: Effect.fn("EmailReview.refuse")(function* (accountId, id, actor) {
        const submission = yield* find(accountId, id)
        const at = yield* Clock.currentTimeMillis
        const refused = yield* decide(submission, ["Failed", "sending.review_refused"], at)
        yield* record(actor, {
          accountId,
          action: "email.refused",
          target: submission.id,
          before: { held: refused.length },
          after: { refused: refused.length }
        })
        const campaignId = submission.marketing?.campaign?.id
        if (campaignId !== undefined) yield* cancelCampaign(accountId, campaignId, actor, at)
        return yield* find(accountId, id)
      }, atomically)
    }
  })
}) {
  static readonly layer = Layer.effect(EmailReview, EmailReview.make).pipe(
    Layer.provide([EmailQueue.layer, SendGate.layer]),
    builtOnce
  )
}

/** The flow or campaign that sent an email; null for any other email. */
const sourceOf = ({ flowId, marketing }: Pick<NewSubmission, "flowId" | "marketing">): string | null =>
  flowId ?? marketing?.campaign?.id ?? null

/** Whether an email is subject to review: marketing of a flow or a campaign that would be sent. */
const isReviewed = (submission: NewSubmission): boolean =>
  sourceOf(submission) !== null &&
  submission.marketing !== null &&
  submission.deliveries.some(({ status }) => status === "Queued")

const heldForReview = (submission: NewSubmission): NewSubmission => ({
  ...submission,
  deliveries: submission.deliveries.map((delivery) =>
    delivery.status === "Queued"
      ? { ...delivery, status: "PendingReview", reason: "sending.in_review" }
      : delivery
  )
})
