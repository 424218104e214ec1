/**
 * How the states of notifications look.
 *
 * @module
 */
import type { Tone } from "../../parts/show/Badge.tsx"

/** The tones; neutral for others. */
export const deliveryTones: Readonly<Record<string, Tone>> = {
  Succeeded: "good",
  Failed: "bad",
  Pending: "accent"
}
