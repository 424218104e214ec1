/**
 * The tones of the states of emails and recipients: good, waiting or failed.
 *
 * @module
 */
import type { Tone } from "../parts/show/Badge.tsx"

const tones: Readonly<Record<string, Tone>> = {
  Delivered: "good",
  Sent: "good",
  Accepted: "good",
  HandingOff: "accent",
  PendingReview: "warning",
  Mixed: "warning",
  Suppressed: "warning",
  Bounced: "bad",
  Failed: "bad"
}

/** The tone of a state; neutral for a waiting or unknown one. */
export const toneOf = (status: string): Tone => tones[status] ?? "neutral"
