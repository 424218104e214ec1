/**
 * Tests of fair shares of a capacity: what is always left for newcomers, and what a single holder may have.
 *
 * @module
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FairShares } from "../../../core/shared/FairShares.ts"

/** Holders take one unit each in rotation until no more is allowed. */
const fill = (shares: FairShares, holders: ReadonlyArray<string>): void => {
  for (let taken = true; taken;) {
    taken = false
    for (const holder of holders) {
      if (!shares.allows(holder, 1)) continue
      shares.add(holder, 1)
      taken = true
    }
  }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `holder${index}`)

describe("fair shares", () => {
  it("give one holder three fifths, and several equal parts of all but what the next needs", () => {
    for (const [count, least, most] of [
      [1, 299, 300],
      [2, 240, 240],
      [3, 160, 160],
      [10, 48, 48],
      [24, 20, 21],
      [25, 18, 21]
    ] as const) {
      const shares = new FairShares(500)
      fill(shares, names(count))
      for (const name of names(count)) {
        expect(shares.heldBy(name)).toBeGreaterThanOrEqual(least)
        expect(shares.heldBy(name)).toBeLessThanOrEqual(most)
      }
    }
  })

  it("give one holder more than an equal part while others have little", () => {
    const shares = new FairShares(500)
    for (const name of names(20)) shares.add(name, 1)
    fill(shares, ["large"])
    expect(shares.heldBy("large")).toBe(288)
    // Others get their shares of what the large holder returns, and it gets none of that itself.
    fill(shares, names(20))
    expect(shares.room("large")).toBe(0)
    shares.add("large", -280)
    fill(shares, [...names(20), "large"])
    for (const name of names(20)) expect(shares.heldBy(name)).toBeGreaterThanOrEqual(22)
  })

  it("leave something for one more holder, and are exact after any sequence", () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: -60, max: 60 })), {
          maxLength: 200
        }),
        (steps) => {
          const shares = new FairShares(500)
          const held = new Map<string, number>()
          for (const [holder, wanted] of steps) {
            const name = `holder${holder}`
            const own = held.get(name) ?? 0
            const amount =
              wanted < 0 ? Math.max(-own, wanted) : Math.min(wanted, Math.floor(shares.room(name)))
            shares.add(name, amount)
            held.set(name, own + amount)
          }
          const total = [...held.values()].reduce((sum, amount) => sum + amount, 0)
          expect(shares.free).toBe(500 - total)
          expect(shares.allows("another", 1)).toBe(true)
          expect(shares.holders().toSorted()).toEqual(
            [...held].flatMap(([name, amount]) => (amount > 0 ? [name] : [])).toSorted()
          )
        }
      )
    ))

  it("leave a reserve to holders below their parts and to what may use it, in any order", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            holder: fc.oneof(fc.constant(0), fc.nat({ max: 30 })),
            times: fc.integer({ min: 1, max: 150 }),
            isReturn: fc.boolean(),
            mayUseReserve: fc.boolean()
          }),
          { maxLength: 120 }
        ),
        (steps) => {
          const shares = new FairShares(500, 100)
          for (const { holder, isReturn, mayUseReserve, times } of steps) {
            const name = `holder${holder}`
            for (let count = 0; count < times; count++) {
              if (isReturn) {
                if (shares.heldBy(name) > 0) shares.add(name, -1)
                continue
              }
              const held = shares.heldBy(name)
              const holders = new Set([...shares.holders(), name]).size
              const leaves = shares.leavesReserve(name)
              // A holder below its share is never limited by the reserve; above it, it never uses the reserve.
              if (held < Math.max(20, 500 / holders)) expect(leaves).toBe(true)
              else if (shares.free <= 100) expect(leaves).toBe(false)
              else expect(leaves).toBe(true)
              if (!shares.allows(name, 1) || !(mayUseReserve || leaves)) break
              shares.add(name, 1)
            }
          }
        }
      )
    ))

  it("give what one holder may not take of the reserve to others, and to what may use it", () => {
    const shares = new FairShares(500, 100)
    for (const name of ["a", "b", "c"]) shares.add(name, 130)
    shares.add("d", 1)
    const fillUnreserved = (name: string) => {
      while (shares.allows(name, 1) && shares.leavesReserve(name)) shares.add(name, 1)
    }
    for (const name of ["a", "b", "c"]) fillUnreserved(name)
    expect(shares.free).toBe(100)
    expect(["a", "b", "c", "d"].map((name) => shares.leavesReserve(name))).toEqual([
      false,
      false,
      false,
      true
    ])
    expect(shares.allows("a", 1)).toBe(true)
    fillUnreserved("d")
    expect(shares.heldBy("d")).toBeGreaterThan(60)
  })

  it("allow a first amount whatever it is, while something is free", () => {
    const shares = new FairShares(100)
    expect(shares.allows("large", 1_000)).toBe(true)
    shares.add("large", 1_000)
    expect(shares.allows("another", 1)).toBe(false)
    shares.add("large", -1_000)
    expect(shares.allows("another", 1)).toBe(true)
  })
})
