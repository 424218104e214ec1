/**
 * How statuses of HTTP look: what went well, what the caller has to fix, what the service has.
 *
 * @module
 */
import type { Tone } from "../parts/show/Badge.tsx"

/** The tone of a status. */
export const toneOfStatus = (status: number): Tone =>
  status < 400 ? "good" : status < 500 ? "warning" : "bad"
