/**
 * Tests of UTC days, for counts by day.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { utcDaysUntil } from "../../../core/shared/UtcDays.ts"

const moments = fc.integer({ min: Date.UTC(1970, 5, 1), max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) })
const counts = fc.integer({ min: 1, max: 120 })

describe("UTC days", () => {
  it("are as many as requested, from the day of the timestamp back, without a gap", () => {
    fc.assert(
      fc.property(moments, counts, (now, count) => {
        const days = utcDaysUntil(now, count)
        expect(days).toHaveLength(count)
        expect(days[0]!.from <= now && now < days[0]!.to).toBe(true)
        for (const [index, { date, from, to }] of days.entries()) {
          expect(to).toBe(days[index - 1]?.from ?? to)
          // The same as the platform's calendar.
          expect(date).toBe(new Date(from).toISOString().slice(0, 10))
          expect(from).toBe(Date.parse(date))
          const [year, month, day] = date.split("-").map(Number) as [number, number, number]
          expect(to).toBe(Date.UTC(year, month - 1, day + 1))
        }
      })
    )
  })

  it("begin at midnight", () => {
    const midnight = Date.UTC(2028, 2, 1)
    const datesAt = (now: number) => utcDaysUntil(now, 2).map(({ date }) => date)
    expect(datesAt(midnight - 1)).toEqual(["2028-02-29", "2028-02-28"])
    expect(datesAt(midnight)).toEqual(["2028-03-01", "2028-02-29"])
  })
})
