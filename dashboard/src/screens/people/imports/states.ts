/**
 * The colours of the states of imports, and how often running ones are refreshed.
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

/** How often a running import is refreshed, in milliseconds. */
export const pollMillis = 1_500

/** Whether an import has not ended yet. */
export const isGoing = ({ status }: { readonly status: string }): boolean =>
  status === "Uploading" || status === "Queued" || status === "Running"
