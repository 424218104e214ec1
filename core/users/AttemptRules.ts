/**
 * How wrong passwords and codes for one address are slowed (docs/contributing/people.md 2): after 5 in 15 minutes, one
 * attempt after each delay, which doubles from 30 seconds to 15 minutes.
 *
 * @module
 */
import type { CountedWindow } from "../ports/RateLimits.ts"

/** Failures in `periodMillis` after which attempts are delayed. */
export const maxFailures = 5

/** The period within which failures count together, milliseconds. */
export const periodMillis = 900_000

const firstDelayMillis = 30_000
const maxDelayMillis = 900_000

/** How long a failure matters, milliseconds: at most as long as its count is kept. */
export const rememberedMillis = 3_600_000

/** Until when the next attempt must wait, epoch milliseconds, given the failures so far, the oldest first; 0 for no wait. */
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
