/**
 * The background jobs of campaigns.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import type { Ids } from "../../kernel/Ids.ts"
import { maxCampaigns } from "../../model/Campaign.ts"
import type { CampaignStore } from "../../ports/CampaignStore.ts"
import type { JobQueue } from "../../ports/JobQueue.ts"
import { defineJob } from "../defineJob.ts"

/** What a job of a campaign is for. */
export interface CampaignWork {
  readonly campaignId: string
  /** One of the parts of its recipients (`core/campaigns/CampaignRules.ts: partOfRecipient`); without it the whole. */
  readonly part?: number
  /** With a part: it sends only to those who are due until then, epoch milliseconds. */
  readonly dueUntil?: number
  /** Why recipients wait by a rule that was changed: they are decided on again. */
  readonly reason?: string
  /** Whether the account's time zone was changed: those who wait for a time on their clocks are decided on again. */
  readonly zones?: boolean
}

/**
 * Works on a campaign: starts it, reads its audience, sends to who is due, ends it. With a part, sends only to who is due of that
 * part; with a reason or zones, makes those due who wait for it, or by their time zones. At most one of each is pending.
 */
export const campaignJob = defineJob({
  queue: "campaigns",
  key: ({ campaignId, part, reason, zones }: CampaignWork) => {
    const what = part ?? reason ?? (zones === true ? "zones" : undefined)
    return what === undefined ? `campaign:${campaignId}` : `campaign:${campaignId}:${what}`
  },
  payload: Schema.Struct({
    campaignId: Schema.String,
    part: Schema.optionalKey(Schema.Int),
    dueUntil: Schema.optionalKey(Schema.Int),
    reason: Schema.optionalKey(Schema.String),
    zones: Schema.optionalKey(Schema.Boolean)
  })
})

/** Has campaigns of an account looked at, at a time (epoch milliseconds), instead of when they were to be. */
export const wakeCampaigns = Effect.fnUntraced(function* (
  queue: JobQueue["Service"],
  ids: Ids["Service"],
  accountId: string,
  campaignIds: ReadonlyArray<string>,
  runAt: number
) {
  if (campaignIds.length === 0) return
  const payloads = campaignIds.map((campaignId) => ({ campaignId }))
  yield* campaignJob.cancel(queue, accountId, payloads)
  const jobIds = yield* ids.many(payloads.length)
  yield* queue.enqueue(
    payloads.map((payload, index) => campaignJob.job({ id: jobIds[index]!, accountId, payload, runAt }))
  )
})

/** Has all campaigns of an account that are being sent looked at, as `wakeCampaigns`. */
export const wakeSending = Effect.fnUntraced(function* (
  campaigns: CampaignStore["Service"],
  queue: JobQueue["Service"],
  ids: Ids["Service"],
  accountId: string,
  runAt: number
) {
  const sending = yield* campaigns.uses(accountId, ["Sending"], null, maxCampaigns)
  yield* wakeCampaigns(
    queue,
    ids,
    accountId,
    sending.map(({ id }) => id),
    runAt
  )
})
