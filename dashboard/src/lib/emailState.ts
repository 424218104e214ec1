/**
 * How the states of emails and their recipients look: what went well, what waits, what failed.
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

/** The tone of a state; neutral for what waits or is unknown. */
export const toneOf = (status: string): Tone => tones[status] ?? "neutral"
