/**
 * How imports look, and when they are read again.
 *
 * @module
 */
import type { Tone } from "../../../parts/show/Badge.tsx"

/** The colour of each state. */
export const importTones: Readonly<Record<string, Tone>> = {
  Completed: "good",
  Running: "accent",
  Queued: "accent",
  Uploading: "accent",
  Failed: "bad"
}

/** How often a running import is read again, in milliseconds. */
export const pollMillis = 1_500

/** Whether an import is not at its end. */
export const isGoing = ({ status }: { readonly status: string }): boolean =>
  status === "Uploading" || status === "Queued" || status === "Running"
