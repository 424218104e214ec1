/**
 * The background jobs of campaigns.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import type { Ids } from "../../kernel/Ids.ts"
import type { JobQueue } from "../../ports/JobQueue.ts"
import { defineJob } from "../defineJob.ts"

/** Works on a campaign: starts it, reads its audience, sends to who is due, ends it. At most one is pending for each. */
export const campaignJob = defineJob({
  queue: "campaigns",
  key: ({ campaignId }: { readonly campaignId: string }) => `campaign:${campaignId}`,
  payload: Schema.Struct({ campaignId: Schema.String })
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
