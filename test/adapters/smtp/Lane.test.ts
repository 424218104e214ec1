/**
 * The concurrency limit and the suspension of a lane, and the bound on the number of lanes.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { Lane, type LaneOptions, type Slot } from "../../../adapters/smtp/transport/Lane.ts"
import { Lanes } from "../../../adapters/smtp/transport/Lanes.ts"

const options: LaneOptions = { startLimit: 2, maxLimit: 5, idleMillis: 1000, maxUses: 10 }

/** A request, and its slot once it was received. */
interface Requested {
  slot: Slot | null
  readonly withdraw: () => void
}

const request = (lane: Lane, now = 0): Requested => {
  const made = lane.request(now)
  const requested: Requested = { slot: null, withdraw: () => lane.withdraw(made) }
  void Effect.runPromise(made.slot).then((slot) => {
    requested.slot = slot
  })
  return requested
}

const soon = () => new Promise((resolve) => setImmediate(resolve))

describe("a lane", () => {
  it("grants as many slots as its limit, and the next when one is released", async () => {
    const lane = new Lane(options)
    const requested = [request(lane), request(lane), request(lane)]
    await soon()
    expect(requested.map(({ slot }) => slot?._tag)).toEqual(["Granted", "Granted", undefined])
    lane.release(null, 0)
    await soon()
    expect(requested[2]?.slot).toEqual({ _tag: "Granted" })
  })

  it("grants the slot of a withdrawn request to the next, whether it was granted or not", async () => {
    const lane = new Lane({ ...options, startLimit: 1 })
    const [first, gone, last] = [request(lane), request(lane), request(lane)]
    await soon()
    expect(first?.slot).toEqual({ _tag: "Granted" })
    gone?.withdraw()
    const granted = lane.request(0)
    lane.release(null, 0)
    await soon()
    expect(last?.slot).toEqual({ _tag: "Granted" })
    lane.release(null, 0)
    lane.withdraw(granted)
    const next = request(lane)
    await soon()
    expect(next.slot).toEqual({ _tag: "Granted" })
  })

  it("raises its limit on success and lowers it on deferral, within its bounds", () => {
    const lane = new Lane(options)
    const rounds = (count: number, feedback: "Success" | "Deferral") => {
      for (let round = 0; round < count; round++) {
        lane.request(0)
        lane.release({ _tag: feedback }, 0)
      }
      return lane.limit
    }
    expect(rounds(2, "Success")).toBe(3)
    expect(rounds(100, "Success")).toBe(5)
    expect(rounds(1, "Deferral")).toBe(4)
    expect(rounds(100, "Deferral")).toBe(1)
  })

  it("is suspended for the stated wait, or longer each time, and ends the requests that wait", async () => {
    const lane = new Lane({ ...options, startLimit: 1 })
    const [, waiting] = [request(lane), request(lane)]
    lane.release({ _tag: "Unavailable", wait: 300_000 }, 1000)
    await soon()
    expect(waiting?.slot).toEqual({ _tag: "Suspended", until: 301_000 })
    expect(lane.suspendedUntil(1000)).toBe(301_000)
    expect(lane.suspendedUntil(301_000)).toBeNull()
    const suspensions: Array<number> = []
    let now = 301_000
    for (let round = 0; round < 12; round++) {
      lane.request(now)
      lane.release({ _tag: "Unavailable", wait: null }, now)
      const until = lane.suspendedUntil(now) ?? now
      suspensions.push(until - now)
      now = until
    }
    expect(suspensions).toEqual(suspensions.toSorted((a, b) => a - b))
    expect(suspensions.at(-1)).toBe(15 * 60_000)
    lane.request(now)
    lane.release({ _tag: "Success" }, now)
    lane.request(now)
    lane.release({ _tag: "Unavailable", wait: null }, now)
    expect(lane.suspendedUntil(now)).toBe(now + 5000)
  })

  it("grants no more slots than its limit, and lets none wait while one is free, whatever happens", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("request", "request", "success", "deferral", "nothing", "withdraw"), {
          maxLength: 60
        }),
        async (steps) => {
          const lane = new Lane(options)
          const open: Array<Requested> = []
          const granted = () => open.filter((requested) => requested.slot?._tag === "Granted")
          for (const step of steps) {
            if (step === "request") open.push(request(lane))
            else if (step === "withdraw") open.pop()?.withdraw()
            else {
              const one = granted()[0]
              if (one !== undefined) {
                open.splice(open.indexOf(one), 1)
                lane.release(
                  step === "nothing" ? null : { _tag: step === "success" ? "Success" : "Deferral" },
                  0
                )
              }
            }
            await soon()
            const waiting = open.filter((requested) => requested.slot === null).length
            if (waiting > 0) expect(granted().length).toBeGreaterThanOrEqual(lane.limit)
            expect(granted().length).toBeLessThanOrEqual(options.maxLimit)
          }
          for (const requested of open) requested.withdraw()
          expect(lane.isUnused(0)).toBe(true)
        }
      ),
      { numRuns: 100 }
    ))
})

it("lanes belong to destinations, and the least recently used that is not in use is removed", () => {
  const lanes = new Lanes(options)
  const lane = lanes.laneTo("a.test", "mx.test", 0)
  expect(lanes.laneTo("b.test", "mx.test", 0)).toBe(lane)
  expect(lanes.lastLaneOf("b.test")).toBe(lane)
  expect(lanes.lastLaneOf("c.test")).toBeNull()
  const busy = lanes.laneTo("busy.test", "busy", 0)
  busy.request(0)
  for (let index = 0; index < 10_100; index++) lanes.laneTo(`d${index}.test`, `mx${index}`, 0)
  expect(lanes.lastLaneOf("a.test")).toBeNull()
  expect(lanes.lastLaneOf("busy.test")).toBe(busy)
})
