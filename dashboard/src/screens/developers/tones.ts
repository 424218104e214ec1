/**
 * The tones of the states of notifications.
 *
 * @module
 */
import type { Tone } from "../../parts/show/Badge.tsx"

/** The tones; other states are neutral. */
export const deliveryTones: Readonly<Record<string, Tone>> = {
  Succeeded: "good",
  Failed: "bad",
  Pending: "accent"
}
