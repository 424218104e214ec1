/**
 * The background jobs of campaigns.
 *
 * @module
 */
import { Schema } from "effect"
import { defineJob } from "../defineJob.ts"

/** Works on a campaign: starts it, reads its audience, sends to who is due, ends it. At most one is pending for each. */
export const campaignJob = defineJob({
  queue: "campaigns",
  key: ({ campaignId }: { readonly campaignId: string }) => `campaign:${campaignId}`,
  payload: Schema.Struct({ campaignId: Schema.String })
})
