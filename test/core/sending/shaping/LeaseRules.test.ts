/**
 * Tests of sharing lanes: whatever processes request and when, together they stay within the limit.
 *
 * @module
 */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { flowAt, type LaneBounds, newLane, type SharedLane } from "../../../../core/model/Lane.ts"
import {
  calmLeaseMillis,
  fairPlaces,
  leaseMillis,
  placesOf,
  renewed,
  renewMillis,
  unusedMillis
} from "../../../../core/sending/shaping/LeaseRules.ts"
import { LaneMemories, remembered } from "../../../../core/sending/shaping/LaneMemories.ts"

const start = 1_000_000_000

const laneWith = (bounds: LaneBounds): SharedLane => ({
  ...newLane(bounds),
  lane: "ip:192.0.2.1",
  leases: [],
  pace: null,
  marks: {},
  override: null,
  changedAt: start
})

/** A process whose clock may be wrong by a few seconds. */
interface Simulated {
  readonly node: string
  readonly skew: number
  places: number
  expiresAt: number
  open: number
}

it("processes together never have more connections than the limit, with clocks five seconds apart", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.integer({ min: -2_500, max: 2_500 }), { minLength: 1, maxLength: 4 }),
      fc.array(
        fc.record({
          process: fc.nat({ max: 3 }),
          wanted: fc.nat({ max: 30 }),
          passed: fc.nat({ max: 4_000 }),
          what: fc.constantFrom("renew", "renew", "open", "close", "freeze")
        }),
        { maxLength: 80 }
      ),
      (limit, skews, steps) => {
        const bounds = { startLimit: limit, maxLimit: limit }
        let lane = laneWith(bounds)
        let now = start
        const processes = skews.map((skew, index): Simulated => ({
          node: `node${index}`,
          skew,
          places: 0,
          expiresAt: 0,
          open: 0
        }))
        for (const { passed, process, wanted, what } of steps) {
          now += passed
          const one = processes[process % processes.length]!
          const own = now + one.skew
          // A process closes its connections when its lease ends.
          for (const each of processes)
            if (each.expiresAt - unusedMillis <= now + each.skew) each.open = each.places = 0
          if (what === "renew") {
            const isIdle = one.open === 0 && wanted === 1
            lane = renewed(
              lane,
              { node: one.node, bounds, wanted, open: one.open, isIdle, received: [] },
              own
            )
            one.places = placesOf(lane, one.node, bounds, own)
            one.expiresAt = lane.leases.find(({ node }) => node === one.node)?.expiresAt ?? 0
          } else if (what === "open") one.open = Math.max(one.open, Math.min(wanted, one.places))
          else if (what === "close") one.open = Math.min(one.open, wanted)
          expect(processes.reduce((sum, { open }) => sum + open, 0)).toBeLessThanOrEqual(limit)
        }
      }
    ),
    { numRuns: 1000 }
  )
})

it("a limit is divided equally, no process gets more than it wants, and what is left rotates", () => {
  const want = (...wanted: ReadonlyArray<number>) =>
    wanted.map((one, index) => ({ node: `n${index}`, wanted: one }))
  const divided = (width: number, now: number, ...wanted: ReadonlyArray<number>) => {
    const places = fairPlaces(want(...wanted), width, now)
    return wanted.map((_, index) => places.get(`n${index}`))
  }
  expect(divided(10, 0, 20, 20)).toEqual([5, 5])
  expect(divided(10, 0, 2, 20, 0)).toEqual([2, 8, 0])
  expect(divided(3, 0, 1, 1)).toEqual([1, 1])
  expect([0, 1, 2, 3].map((turn) => divided(1, turn * leaseMillis, 9, 9, 9))).toEqual([
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 0, 0]
  ])
})

it("a process gets the places that another gave up or left behind", () => {
  const bounds = { startLimit: 8, maxLimit: 8 }
  const ask = (lane: SharedLane, node: string, wanted: number, open: number, now: number) =>
    renewed(lane, { node, bounds, wanted, open, received: [] }, now)
  const first = ask(laneWith(bounds), "a", 20, 0, start)
  expect(placesOf(first, "a", bounds, start)).toBe(8)
  // The second process must wait until the first has closed the connections beyond its new share.
  const second = ask(first, "b", 20, 0, start + 1)
  expect(placesOf(second, "b", bounds, start + 1)).toBe(0)
  expect(placesOf(second, "a", bounds, start + 1)).toBe(4)
  const third = ask(second, "a", 20, 6, start + renewMillis)
  expect(placesOf(ask(third, "b", 20, 0, start + renewMillis), "b", bounds, start + renewMillis)).toBe(2)
  // The first process is killed, and never asks again.
  const later = start + renewMillis + leaseMillis
  expect(placesOf(ask(third, "b", 20, 2, later), "b", bounds, later)).toBe(8)
  // The first process stops.
  const stopped = ask(third, "a", 0, 0, start + renewMillis)
  expect(stopped.leases.map(({ node }) => node)).toEqual(["b"])
})

it("a process that has nothing to send keeps a place for longer, until another is short of places", () => {
  const bounds = { startLimit: 3, maxLimit: 3 }
  const ask = (lane: SharedLane, node: string, wanted: number, isIdle: boolean, now: number) =>
    renewed(lane, { node, bounds, wanted, open: 0, isIdle, received: [] }, now)
  const lengths = ({ changedAt, leases }: SharedLane) =>
    leases.map(({ expiresAt, places }) => [places, expiresAt - changedAt])
  const alone = ask(laneWith(bounds), "a", 1, true, start)
  expect(lengths(alone)).toEqual([[1, calmLeaseMillis]])
  const both = ask(alone, "b", 2, false, start)
  expect(lengths(both)).toEqual([
    [1, calmLeaseMillis],
    [2, calmLeaseMillis]
  ])
  const short = ask(both, "b", 3, false, start)
  expect(lengths(short)).toEqual([
    [1, calmLeaseMillis],
    [2, leaseMillis]
  ])
  expect(lengths(ask(short, "a", 1, true, start))).toEqual([[2, leaseMillis]])
})

it("what processes learn at the same time counts together", () => {
  const bounds = { startLimit: 2, maxLimit: 9 }
  const learn = (lane: SharedLane, node: string, received: Parameters<typeof renewed>[1]["received"]) =>
    renewed(lane, { node, bounds, wanted: 1, open: 1, received }, start)
  const success = { feedback: { _tag: "Success" }, at: start, count: 1 } as const
  const lost = { feedback: { _tag: "Unavailable", wait: null }, at: start, count: 1 } as const
  const grown = learn(learn(laneWith(bounds), "a", [success]), "b", [success])
  expect([grown.width, grown.strikes]).toEqual([3, 0])
  const suspended = learn(learn(learn(grown, "a", [lost]), "b", [lost]), "c", [lost])
  expect([suspended.width, suspended.strikes]).toEqual([1, 3])
  expect(suspended.suspendedUntil).toBeGreaterThan(start + 20_000)
  expect(flowAt(suspended, start + 60_000)).toMatchObject({ delivered: 2, deferred: 3 })
  expect([flowAt(suspended, start), flowAt(suspended, start + 120_000)]).toEqual([
    { delivered: 0, deferred: 0 },
    { delivered: 0, deferred: 0 }
  ])
})

it("processes together send no more than the pace of a lane, and all know it", () => {
  const bounds = { startLimit: 2, maxLimit: 9 }
  let lane = laneWith(bounds)
  const processes = ["a", "b", "c"].map(() => new LaneMemories(() => undefined))
  let now = start
  const tell = (memories: LaneMemories) => {
    const told = memories.request(lane.lane)
    const after = remembered(lane, told, now)
    lane = after.lane
    memories.settle(lane, told, after.turns, now)
    for (const other of processes) if (other !== memories) other.learn(lane)
  }
  expect(processes.map((one) => one.take(lane.lane, now))).toEqual([null, null, null])
  const pace = { perMinute: 12, growth: 1, since: now, until: now + 3_600_000, notBefore: now }
  processes[0]!.setPace(lane.lane, pace, now)
  tell(processes[0]!)
  let sent = 0
  for (let second = 0; second < 600; second++) {
    now += 1_000
    for (const one of processes) {
      if (one.take(lane.lane, now) === null) sent++
      if (one.isAsking(lane.lane, now)) tell(one)
    }
  }
  expect(sent).toBeLessThanOrEqual(121)
  expect(sent).toBeGreaterThan(100)
  now = start + 3_600_000
  expect(processes.map((one) => one.take(lane.lane, now))).toEqual([null, null, null])
})

it("processes together open no more connections in any minute than a few, with clocks five seconds apart", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 39 }),
      fc.array(fc.integer({ min: -2_500, max: 2_500 }), { minLength: 1, maxLength: 5 }),
      // Which processes want a connection in each period of five seconds, as a bit mask.
      fc.array(fc.nat({ max: 31 }), { minLength: 24, maxLength: 48 }),
      (most, skews, wishes) => {
        const rows = new Map<string, SharedLane>()
        let now = start
        const opened: Array<number> = []
        const processes = skews.map((skew) => {
          const asked = new Set<string>()
          return { skew, asked, memories: new LaneMemories((name) => asked.add(name)) }
        })
        for (const wish of wishes)
          for (const end = now + 5_000; now < end; now += 250)
            for (const [index, { asked, memories, skew }] of processes.entries()) {
              const own = now + skew
              if ((wish & (1 << index)) !== 0 && memories.takeOpening("one", most, own) === null)
                opened.push(now)
              for (const name of asked) {
                if (!memories.isAsking(name, own)) continue
                const told = memories.request(name)
                const before = rows.get(name) ?? { ...laneWith({ startLimit: 3, maxLimit: 9 }), lane: name }
                const after = remembered(before, told, own)
                rows.set(name, after.lane)
                memories.settle(after.lane, told, after.turns, own)
              }
            }
        for (const [index, from] of opened.entries()) {
          const within = opened.slice(index).filter((at) => at < from + 60_000)
          expect(within.length).toBeLessThanOrEqual(most)
        }
        // If a process always wants connections, at least 60 % of them are used.
        if (wishes.every((wish) => (wish & 1) !== 0))
          expect(opened.length).toBeGreaterThanOrEqual(Math.floor(0.6 * most * ((now - start) / 60_000)))
      }
    ),
    { numRuns: 300 }
  )
})

it("rejections that processes count are the same for all", () => {
  const [one, other] = [new LaneMemories(() => undefined), new LaneMemories(() => undefined)]
  let lane = laneWith({ startLimit: 2, maxLimit: 9 })
  one.setMarks(lane.lane, "rate", [start])
  const told = one.request(lane.lane)
  lane = remembered(lane, told, start).lane
  one.settle(lane, told, 0, start)
  other.learn(lane)
  expect([one, other].map((each) => each.marksOf(lane.lane, "rate"))).toEqual([[start], [start]])
  expect(remembered(lane, other.request(lane.lane), start + 86_400_000).lane.marks).toEqual({})
})
