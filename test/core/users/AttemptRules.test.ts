import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { maxFailures, periodMillis, waitUntil } from "../../../core/users/AttemptRules.ts"

const second = 1000
const minute = 60 * second

const at = (...times: ReadonlyArray<number>) => times.map((windowStart) => ({ windowStart, count: 1 }))

describe("the delays of attempts", () => {
  it("begin with the fifth failure in 15 minutes, and double up to 15 minutes", () => {
    const failures = [0, 1, 2, 3].map((index) => index * second)
    expect(waitUntil(at(...failures))).toBe(0)
    let next = 4 * second
    for (const delay of [0.5, 1, 2, 4, 8, 15, 15]) {
      failures.push(next)
      expect(waitUntil(at(...failures))).toBe(next + delay * minute)
      next += delay * minute
    }
  })

  it("begin with no fifth failure that is 15 minutes after the first", () => {
    const early = [0, 1, 2, 3].map((index) => index * second)
    expect(waitUntil(at(...early, periodMillis))).toBe(0)
    expect(waitUntil(at(...early, periodMillis - 1))).toBeGreaterThan(0)
  })

  it("end after 15 minutes without a failure", () => {
    const burst = [0, 1, 2, 3, 4].map((index) => index * second)
    const free = 4 * second + minute / 2 + periodMillis + 1
    expect(waitUntil(at(...burst, free))).toBeLessThan(free)
  })

  it("count failures at one time as those one after the other", () => {
    expect(waitUntil([{ windowStart: 0, count: maxFailures }])).toBe(minute / 2)
  })

  it("are never longer than 15 minutes", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3_600_000 }), { maxLength: 50 }), (times) => {
        const sorted = times.toSorted((one, other) => one - other)
        const last = sorted.at(-1) ?? 0
        const until = waitUntil(at(...sorted))
        expect(until).toBeLessThanOrEqual(last + 15 * minute)
        if (sorted.length < maxFailures) expect(until).toBe(0)
      })
    )
  })
})
