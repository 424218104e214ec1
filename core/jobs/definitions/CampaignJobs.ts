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

/** The work of a campaign's job. */
export interface CampaignWork {
  readonly campaignId: string
  /** One of the parts of its recipients (`core/campaigns/CampaignRules.ts: partOfRecipient`); absent for the whole campaign. */
  readonly part?: number
  /** With `part`, sends only to recipients who are due until then, epoch milliseconds. */
  readonly dueUntil?: number
  /** The reason of recipients who wait by a rule that was changed, and are decided again. */
  readonly reason?: string
  /** Whether the account's time zone was changed, so that people who wait until a time in their zone are decided again. */
  readonly zones?: boolean
}

/**
 * Processes a campaign: starts it, reads its audience, sends to due recipients, and ends it. With `part`, only sends to due
 * recipients in that part. With `reason`, makes recipients due who wait for that reason; with `zones`, those who wait because of
 * their time zones. At most one of each is pending.
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

/** Makes an account's campaigns be processed at a time (epoch milliseconds), in place of the pending jobs for them. */
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

/** Like `wakeCampaigns`, for all of an account's campaigns that are Sending. */
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
