/**
 * Turns on the way to one destination.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { Lane, type LaneOptions, type Slot } from "../../../adapters/smtp/transport/Lane.ts"
import { Lanes } from "../../../adapters/smtp/transport/Lanes.ts"

const options: LaneOptions = { startWidth: 2, maxWidth: 5, idleMillis: 1000, maxUses: 10 }

interface Asked {
  turn: Slot | null
  readonly withdraw: () => void
}

const ask = (lane: Lane, now = 0): Asked => {
  const ticket = lane.ask(now)
  const asked: Asked = { turn: null, withdraw: ticket.withdraw }
  void Effect.runPromise(ticket.turn).then((turn) => {
    asked.turn = turn
  })
  return asked
}

const soon = () => new Promise((resolve) => setImmediate(resolve))

describe("a lane", () => {
  it("lets as many go as it is wide, and the next when one is back", async () => {
    const lane = new Lane(options)
    const asked = [ask(lane), ask(lane), ask(lane)]
    await soon()
    expect(asked.map(({ turn }) => turn?._tag)).toEqual(["Go", "Go", undefined])
    lane.leave(null, 0)
    await soon()
    expect(asked[2]?.turn).toEqual({ _tag: "Go" })
  })

  it("gives the turn of one that is gone to the next, waiting or not yet told", async () => {
    const lane = new Lane({ ...options, startWidth: 1 })
    const [first, gone, last] = [ask(lane), ask(lane), ask(lane)]
    await soon()
    expect(first?.turn).toEqual({ _tag: "Go" })
    gone?.withdraw()
    const told = lane.ask(0)
    lane.leave(null, 0)
    await soon()
    expect(last?.turn).toEqual({ _tag: "Go" })
    lane.leave(null, 0)
    told.withdraw()
    const next = ask(lane)
    await soon()
    expect(next.turn).toEqual({ _tag: "Go" })
  })

  it("grows while it is welcome, shrinks when it is put off, and never beyond its bounds", () => {
    const lane = new Lane(options)
    const rounds = (count: number, impression: "Success" | "Deferral") => {
      for (let round = 0; round < count; round++) {
        lane.ask(0)
        lane.leave({ _tag: impression }, 0)
      }
      return lane.width
    }
    expect(rounds(2, "Success")).toBe(3)
    expect(rounds(100, "Success")).toBe(5)
    expect(rounds(1, "Deferral")).toBe(4)
    expect(rounds(100, "Deferral")).toBe(1)
  })

  it("rests as long as it was told, or longer each time, and tells those that wait", async () => {
    const lane = new Lane({ ...options, startWidth: 1 })
    const [, waiting] = [ask(lane), ask(lane)]
    lane.leave({ _tag: "Unavailable", wait: 300_000 }, 1000)
    await soon()
    expect(waiting?.turn).toEqual({ _tag: "Suspended", until: 301_000 })
    expect(lane.suspendedUntil(1000)).toBe(301_000)
    expect(lane.suspendedUntil(301_000)).toBeNull()
    const rests: Array<number> = []
    let now = 301_000
    for (let round = 0; round < 12; round++) {
      lane.ask(now)
      lane.leave({ _tag: "Unavailable", wait: null }, now)
      const until = lane.suspendedUntil(now) ?? now
      rests.push(until - now)
      now = until
    }
    expect(rests).toEqual(rests.toSorted((a, b) => a - b))
    expect(rests.at(-1)).toBe(15 * 60_000)
    lane.ask(now)
    lane.leave({ _tag: "Success" }, now)
    lane.ask(now)
    lane.leave({ _tag: "Unavailable", wait: null }, now)
    expect(lane.suspendedUntil(now)).toBe(now + 5000)
  })

  it("whatever happens, no more go than it is wide, and none waits while there is room", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("ask", "ask", "willing", "hesitant", "nothing", "withdraw"), {
          maxLength: 60
        }),
        async (steps) => {
          const lane = new Lane(options)
          const open: Array<Asked> = []
          const going = () => open.filter((asked) => asked.turn?._tag === "Go")
          for (const step of steps) {
            if (step === "ask") open.push(ask(lane))
            else if (step === "withdraw") open.pop()?.withdraw()
            else {
              const one = going()[0]
              if (one !== undefined) {
                open.splice(open.indexOf(one), 1)
                lane.leave(
                  step === "nothing" ? null : { _tag: step === "willing" ? "Success" : "Deferral" },
                  0
                )
              }
            }
            await soon()
            const waiting = open.filter((asked) => asked.turn === null).length
            if (waiting > 0) expect(going().length).toBeGreaterThanOrEqual(lane.width)
            expect(going().length).toBeLessThanOrEqual(options.maxWidth)
          }
          for (const asked of open) asked.withdraw()
          expect(lane.isForgettable(0)).toBe(true)
        }
      ),
      { numRuns: 100 }
    ))
})

it("lanes are the destination's, and those least lately used are forgotten", () => {
  const lanes = new Lanes(options)
  const lane = lanes.of("a.test", "mx.test", 0)
  expect(lanes.of("b.test", "mx.test", 0)).toBe(lane)
  expect(lanes.known("b.test")).toBe(lane)
  expect(lanes.known("c.test")).toBeNull()
  const busy = lanes.of("busy.test", "busy", 0)
  busy.ask(0)
  for (let index = 0; index < 10_100; index++) lanes.of(`d${index}.test`, `mx${index}`, 0)
  expect(lanes.known("a.test")).toBeNull()
  expect(lanes.known("busy.test")).toBe(busy)
})
