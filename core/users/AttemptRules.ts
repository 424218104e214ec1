/**
 * How wrong passwords and codes for one address are slowed down (docs/contributing/people.md 2). After 5 failures in 15 minutes,
 * only one attempt is allowed after each delay, which doubles from 30 seconds to 15 minutes.
 *
 * @module
 */
import type { CountedWindow } from "../ports/RateLimits.ts"

/** The number of failures in `periodMillis` from which attempts are delayed. */
export const maxFailures = 5

/** The period within which failures count together, milliseconds. */
export const periodMillis = 900_000

const firstDelayMillis = 30_000
/** The longest delay, milliseconds. */
export const maxDelayMillis = 900_000

/** How long a failure matters, milliseconds; at most as long as its count is stored. */
export const rememberedMillis = 3_600_000

/** When the next attempt is allowed, epoch milliseconds, given the failures so far, oldest first; 0 if it is allowed now. */
export const waitUntil = (failures: ReadonlyArray<CountedWindow>): number => {
  let until = 0
  let delays = 0
  let recent: ReadonlyArray<number> = []
  for (const { count, windowStart: at } of failures) {
    for (let index = 0; index < count; index++) {
      recent = [...recent.filter((time) => time > at - periodMillis), at].slice(-maxFailures)
      const isDelayed = recent.length === maxFailures || (delays > 0 && at <= until + periodMillis)
      delays = isDelayed ? delays + 1 : 0
      if (isDelayed) until = at + Math.min(maxDelayMillis, firstDelayMillis * 2 ** (delays - 1))
    }
  }
  return until
}
