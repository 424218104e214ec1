/**
 * Tests that the bytes in flight stay within their limits, and that waiting holders are admitted in order.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, it, vi } from "@effect/vitest"
import * as fc from "fast-check"
import { BytesInFlight, fewBytes } from "../../../adapters/http/edge/BytesInFlight.ts"

const mebibyte = 1024 * 1024

const makeBytes = () =>
  new BytesInFlight({
    total: 10 * mebibyte,
    perHolder: 4 * mebibyte,
    perRequest: 6 * mebibyte,
    reserved: 2 * mebibyte,
    waitMillis: 1000
  })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe("BytesInFlight", () => {
  it("lets a holder wait for its own bytes without delaying others", async () => {
    const bytes = makeBytes()
    const first = bytes.hold("a")
    expect(first.take(4 * mebibyte)).toBe(true)
    const second = bytes.hold("a").take(1)
    expect(second).not.toBe(true)
    expect(bytes.hold("b").take(2 * mebibyte)).toBe(true)
    first.release()
    expect(await second).toBe(true)
    expect(bytes.total).toBe(2 * mebibyte + 1)
  })

  it("leaves the reserved part to holders with few bytes", () => {
    const bytes = makeBytes()
    expect(bytes.hold("a").take(4 * mebibyte)).toBe(true)
    expect(bytes.hold("b").take(4 * mebibyte)).toBe(true)
    expect(bytes.hold("c").take(fewBytes + 1)).not.toBe(true)
    expect(bytes.hold("d").take(fewBytes)).toBe(true)
  })

  it("gives up what waits too long, or is released", async () => {
    const bytes = makeBytes()
    expect(bytes.hold("a").take(4 * mebibyte)).toBe(true)
    const late = bytes.hold("a").take(1)
    const gone = bytes.hold("a")
    const given = gone.take(1)
    gone.release()
    expect(await given).toBe(false)
    vi.advanceTimersByTime(1000)
    expect(await late).toBe(false)
    expect(bytes.total).toBe(4 * mebibyte)
  })

  it("admits one request of each holder in turn", async () => {
    const bytes = makeBytes()
    const full = ["x", "y"].map((holder) => {
      const hold = bytes.hold(holder)
      expect(hold.take(4 * mebibyte)).toBe(true)
      return hold
    })
    const order: Array<string> = []
    const waiting = [..."aaabc"].map(async (holder) => {
      const hold = bytes.hold(holder)
      await hold.take(2 * mebibyte)
      order.push(holder)
      hold.release()
    })
    full[0]!.release()
    await Promise.all(waiting)
    expect(order.slice(0, 3).toSorted()).not.toEqual(["a", "a", "a"])
    expect(order).toHaveLength(5)
  })

  it("lets requests that are halfway end one after another", async () => {
    const bytes = makeBytes()
    const ended: Array<string> = []
    const read = async (holder: string) => {
      const hold = bytes.hold(holder)
      for (let piece = 0; piece < 6; piece++) {
        expect(await hold.take(mebibyte)).toBe(true)
        expect(bytes.total).toBeLessThanOrEqual(16 * mebibyte)
      }
      ended.push(holder)
      hold.release()
    }
    await Promise.all([..."aaabbbccc"].map(read))
    expect(ended.toSorted().join("")).toBe("aaabbbccc")
    expect(bytes.total).toBe(0)
  })

  it("never exceeds a bound, and holds nothing after everything is released", async () => {
    const amount = fc.tuple(fc.constantFrom("a", "b", "c"), fc.integer({ min: 0, max: 5 * mebibyte }))
    await fc.assert(
      fc.asyncProperty(fc.array(amount, { maxLength: 20 }), async (amounts) => {
        const bytes = makeBytes()
        const holds = amounts.map(([holder, size]) => {
          const hold = bytes.hold(holder)
          return { hold, taken: hold.take(size) }
        })
        for (const { hold } of holds) {
          expect(bytes.total).toBeLessThanOrEqual(10 * mebibyte)
          hold.release()
        }
        await Promise.all(holds.map(({ taken }) => taken))
        for (const { hold } of holds) hold.release()
        expect(bytes.total).toBe(0)
      })
    )
  })
})
