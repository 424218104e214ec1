/**
 * Spans of UTC days around now. Days are whole: today and the days before or after it.
 *
 * @module
 */

export const dayMillis = 86_400_000

/** From a moment to one that is no longer in it, in epoch milliseconds. */
export interface Span {
  readonly from: number
  readonly to: number
}

const today = (now: number): number => Math.floor(now / dayMillis) * dayMillis

/** Today and as many days before it. */
export const lastDays = (days: number, now: number): Span => ({
  from: today(now) - days * dayMillis,
  to: today(now) + dayMillis
})

/** Today and as many days after it. */
export const nextDays = (days: number, now: number): Span => ({
  from: today(now),
  to: today(now) + (days + 1) * dayMillis
})
