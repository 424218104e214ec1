/**
 * Courses of three days in a simulated internet: whatever servers say, nothing is lost, repeated or suppressed without cause, and
 * no company delays another. `npm run internet -- --seed 7 --days 30` runs one at length.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { run, type Seen } from "./course.ts"
import { faultsOf } from "./rules.ts"

const seeds = [1, 2]

describe("a simulated internet", { timeout: 300_000 }, () => {
  const courses = new Map<number, Seen>()

  it.each(seeds)("of seed %d keeps every rule", async (seed) => {
    const seen = await run({ seed, days: 3 })
    courses.set(seed, seen)
    expect(faultsOf(seen)).toEqual([])
    // The result means something only if much happened.
    expect(seen.ended.length).toBeGreaterThan(200)
    expect(seen.attempts).toBeGreaterThan(300)
    expect(seen.notices.length).toBeGreaterThan(3)
    expect(seen.suppressed.length).toBeGreaterThan(0)
  })

  it("repeats a seed exactly", async () => {
    expect(await run({ seed: seeds[0]!, days: 3 })).toEqual(courses.get(seeds[0]!))
  })
})
