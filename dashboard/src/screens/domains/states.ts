/**
 * The colours of the states of sending domains.
 *
 * @module
 */
import type { Tone } from "../../parts/show/Badge.tsx"

/** The colour of each state. */
export const domainTones: Readonly<Record<string, Tone>> = {
  Verified: "good",
  Pending: "warning",
  Failing: "bad"
}
