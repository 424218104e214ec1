/**
 * The tones of HTTP statuses: success, an error of the caller, an error of the service.
 *
 * @module
 */
import type { Tone } from "../parts/show/Badge.tsx"

/** The tone of an HTTP status. */
export const toneOfStatus = (status: number): Tone =>
  status < 400 ? "good" : status < 500 ? "warning" : "bad"
