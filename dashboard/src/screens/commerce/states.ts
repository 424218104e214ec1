/**
 * The colours of an order's states.
 *
 * @module
 */
import type { Tone } from "../../parts/show/Badge.tsx"

/** The colour of each state. */
export const orderTones: Readonly<Record<string, Tone>> = {
  Pending: "accent",
  Paid: "good",
  Completed: "good",
  Refunded: "warning",
  Failed: "bad"
}
