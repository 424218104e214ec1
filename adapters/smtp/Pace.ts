/**
 * The pace of a message: a time for any message, and longer for bytes that come fast enough.
 *
 * @module
 */

/** How slow a message may be. */
export interface PaceOptions {
  /** How long any message may take, in milliseconds. */
  readonly millis: number
  /** A message may take longer for bytes that come at this pace. */
  readonly minBytesPerSecond: number
  /** How many bytes have come. */
  readonly bytes: () => number
  /** Called once, when the message is too slow for the bytes that have come. */
  readonly onSlow: () => void
}

/** Watches the pace of a message from now on; returns how to stop. */
export const watchPace = ({ bytes, millis, minBytesPerSecond, onSlow }: PaceOptions): (() => void) => {
  const began = Date.now()
  const check = () => {
    const left = began + millis + (bytes() * 1_000) / minBytesPerSecond - Date.now()
    if (left <= 0) onSlow()
    else timer = setTimeout(check, left)
  }
  let timer = setTimeout(check, millis)
  return () => clearTimeout(timer)
}
