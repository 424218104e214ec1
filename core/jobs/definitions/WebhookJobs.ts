/**
 * The background jobs of webhooks.
 *
 * @module
 */
import { Schema } from "effect"
import { defineJob } from "../defineJob.ts"

/**
 * Sends a webhook's due notifications. It has no key, because jobs for one webhook that are enqueued at the same time must not
 * wait for each other's transactions.
 */
export const wakeupJob = defineJob({
  queue: "notifications",
  key: () => null,
  payload: Schema.Struct({ webhookId: Schema.String })
})
