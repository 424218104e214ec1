/**
 * The size of a segment over time: one value per day, from the first day it was counted until today.
 *
 * @module
 */

/** A size as returned by the API. */
export interface Size {
  readonly segmentId: string
  /** `YYYY-MM-DD`, UTC. */
  readonly date: string
  readonly count: number
  readonly sendableCount: number
}

/** A day of a trend. */
export type TrendDay = Omit<Size, "segmentId">

const dayMillis = 86_400_000

const dateOf = (day: number): string => new Date(day).toISOString().slice(0, 10)

/**
 * The days of a segment, oldest first. A day on which it was not counted has the size of the day before; today has the current
 * size.
 *
 * @param now epoch milliseconds
 */
export const trendOf = (
  sizes: ReadonlyArray<Size>,
  present: Pick<Size, "count" | "segmentId" | "sendableCount">,
  now: number
): ReadonlyArray<TrendDay> => {
  const today = dateOf(now)
  const counted = new Map(
    sizes
      .filter(({ date, segmentId }) => segmentId === present.segmentId && date < today)
      .map(({ count, date, sendableCount }) => [date, { count, sendableCount }] as const)
  )
  const last = { date: today, count: present.count, sendableCount: present.sendableCount }
  const [first] = [...counted.keys()].toSorted()
  if (first === undefined) return [last]
  const days: Array<TrendDay> = []
  let size = counted.get(first)!
  for (let day = Date.parse(first); dateOf(day) < today; day += dayMillis) {
    size = counted.get(dateOf(day)) ?? size
    days.push({ date: dateOf(day), ...size })
  }
  return [...days, last]
}
