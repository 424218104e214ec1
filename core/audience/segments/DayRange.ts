/**
 * Computes ranges of whole UTC days around now.
 *
 * @module
 */

export const dayMillis = 86_400_000

/** A range of time from `from` until before `to`, epoch milliseconds. */
export interface Span {
  readonly from: number
  readonly to: number
}

const today = (now: number): number => Math.floor(now / dayMillis) * dayMillis

/** Today and the given number of days before it. */
export const lastDays = (days: number, now: number): Span => ({
  from: today(now) - days * dayMillis,
  to: today(now) + dayMillis
})

/** Today and the given number of days after it. */
export const nextDays = (days: number, now: number): Span => ({
  from: today(now),
  to: today(now) + (days + 1) * dayMillis
})
