/**
 * Limits how long a message may take: a fixed time, extended while bytes arrive fast enough.
 *
 * @module
 */

/** The limits of a message's transmission. */
export interface PaceOptions {
  /** How long any message may take, in milliseconds. */
  readonly millis: number
  /** The rate at which bytes extend the time. */
  readonly minBytesPerSecond: number
  /** Returns how many bytes have arrived. */
  readonly bytes: () => number
  /** Called once, if the message takes too long for the bytes that have arrived. */
  readonly onSlow: () => void
}

/** Watches a message from now on. Returns a function that stops watching. */
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
