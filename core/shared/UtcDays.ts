/**
 * Calendar days in UTC, for counts by day.
 *
 * @module
 */
import { formatDateTime } from "./Validate.ts"

const dayMillis = 86_400_000

/** A day: from its start to the start of the next day (exclusive), epoch milliseconds. */
export interface UtcDay {
  /** `YYYY-MM-DD`. */
  readonly date: string
  readonly from: number
  readonly to: number
}

/** The day that contains a timestamp and the days before it, `count` in total, newest first. */
export const utcDaysUntil = (now: number, count: number): ReadonlyArray<UtcDay> => {
  const today = Math.floor(now / dayMillis) * dayMillis
  return Array.from({ length: count }, (_, age) => {
    const from = today - age * dayMillis
    return { date: formatDateTime(from).slice(0, 10), from, to: from + dayMillis }
  })
}
