/**
 * Simulates three days in an internet of mail servers: whatever servers say, nothing is lost, repeated or suppressed without
 * cause, and no company delays another. `npm run internet -- --seed 7 --days 30` runs a longer simulation.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { run, type Seen } from "./course.ts"
import { faultsOf } from "./rules.ts"

const seeds = Array.from({ length: 20 }, (_, index) => index + 1)

const lengthOf = (courses: ReadonlyArray<Seen>, choose: (seen: Seen) => ReadonlyArray<unknown>): number =>
  courses.flatMap(choose).length

describe("a simulated internet", { timeout: 300_000 }, () => {
  const courses = new Map<number, Seen>()

  it.each(seeds)("of seed %d keeps every rule", async (seed) => {
    const seen = await run({ seed, days: 3 })
    courses.set(seed, seen)
    expect(faultsOf(seen)).toEqual([])
    expect(seen.ended.length).toBeGreaterThan(300)
    expect(seen.attempts).toBeGreaterThan(300)
  })

  it("repeats a seed exactly", async () => {
    expect(await run({ seed: seeds[0]!, days: 3 })).toEqual(courses.get(seeds[0]!))
  })

  it("keeps every rule with many times the mail, of which little asks while it waits", async () => {
    const seen = await run({ seed: 7, days: 3, scale: 6 })
    expect(faultsOf(seen)).toEqual([])
    expect(seen.ended.length).toBeGreaterThan(2_000)
    expect(seen.attempts).toBeLessThan(2 * seen.ended.length)
  })

  it("keeps every rule over the embedded database", async () => {
    const seen = await run({ seed: 7, days: 3, store: "pglite" })
    expect(faultsOf(seen)).toEqual([])
    expect(seen.ended.length).toBeGreaterThan(300)
  })

  it("has much that the rules are about", () => {
    const all = [...courses.values()]
    expect(all).toHaveLength(seeds.length)
    expect(lengthOf(all, ({ notices }) => notices)).toBeGreaterThan(2 * seeds.length)
    expect(lengthOf(all, ({ suppressed }) => suppressed)).toBeGreaterThan(3 * seeds.length)
    expect(lengthOf(all, ({ ended }) => ended.filter(({ visits }) => visits !== null))).toBeGreaterThan(
      3 * seeds.length
    )
  })

  it("keeps every rule over connections to servers on this machine", async () => {
    const seen = await run({ seed: 1, days: 3, wire: "Sockets" })
    expect(faultsOf(seen)).toEqual([])
    const { servers } = seen.connections!
    expect(servers.filter(({ made }) => made > 0).length).toBeGreaterThan(40)
    expect(Math.max(...servers.map(({ peak }) => peak))).toBeGreaterThan(1)
  })
})
