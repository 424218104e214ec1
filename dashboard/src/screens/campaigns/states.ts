/**
 * The colours of the states of campaigns and of their recipients.
 *
 * @module
 */
import type { ValueOf } from "../../api/call.ts"
import type { Tone } from "../../parts/show/Badge.tsx"

/** A campaign. */
export type Campaign = ValueOf<"GET /accounts/:accountId/campaigns/:id">

/** The colour of each status. */
export const campaignTones: Readonly<Record<string, Tone>> = {
  Scheduled: "accent",
  Sending: "accent",
  Paused: "warning",
  Sent: "good"
}

/** The colour of each state of a recipient. */
export const recipientTones: Readonly<Record<string, Tone>> = {
  Submitted: "good",
  Skipped: "warning"
}
