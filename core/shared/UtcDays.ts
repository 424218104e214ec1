/**
 * Days as the calendar of UTC has them, for counts by day.
 *
 * @module
 */
import { formatDateTime } from "./Validate.ts"

const dayMillis = 86_400_000

/** A day: from its first moment to the first of the next one, which is no longer in it; epoch milliseconds. */
export interface UtcDay {
  /** `YYYY-MM-DD`. */
  readonly date: string
  readonly from: number
  readonly to: number
}

/** The day a moment is in and those before it, newest first: as many as are asked for. */
export const utcDaysUntil = (now: number, count: number): ReadonlyArray<UtcDay> => {
  const today = Math.floor(now / dayMillis) * dayMillis
  return Array.from({ length: count }, (_, age) => {
    const from = today - age * dayMillis
    return { date: formatDateTime(from).slice(0, 10), from, to: from + dayMillis }
  })
}
