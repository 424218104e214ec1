/**
 * Tests of the pace of lanes whose servers asked to slow down, in one process and shared by several.
 *
 * @module
 */
import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type Feedback,
  learned,
  newLane,
  rateAt,
  restored,
  type SharedLane
} from "../../../../core/model/Lane.ts"
import { LaneMemories, remembered } from "../../../../core/sending/shaping/LaneMemories.ts"
import { heldBack, Paces, resumePace } from "../../../../core/sending/shaping/Paces.ts"
import { Sites } from "../../../../core/sending/shaping/Sites.ts"

const minute = 60_000
const lane = "ip:192.0.2.1"
const start = 1_000 * minute

/** How many messages are offered within an hour to a server that rejects each of them, with a request every second. */
const refusedWithin = (paces: Paces, settle: (now: number) => void): number => {
  let offered = 0
  for (let now = start; now < start + 60 * minute; now += 1_000) {
    settle(now)
    if (paces.take(lane, now) !== null) continue
    offered++
    paces.slow(lane, null, null, 0, now)
    settle(now)
  }
  return offered
}

/** Paces of a lane whose shared state is written immediately. */
const makeShared = () => {
  const memories = new LaneMemories(() => undefined)
  let row: SharedLane = {
    ...newLane({ startLimit: 3, maxLimit: 20 }),
    lane,
    leases: [],
    pace: null,
    marks: {},
    override: null,
    changedAt: start
  }
  const settle = (now: number) => {
    const request = memories.request(lane)
    const after = remembered(row, request, now)
    row = after.lane
    memories.settle(row, request, after.turns, now)
  }
  return {
    paces: new Paces(
      Object.assign(memories, {
        refresh: Effect.void,
        sites: new Sites(),
        acceptedAt: () => 0,
        unreached: () => null,
        reach: () => undefined,
        restore: () => undefined
      })
    ),
    settle
  }
}

describe("the pace of a lane whose server refuses each message for a rate", () => {
  it("is one message a minute", () => {
    const offered = refusedWithin(new Paces(), () => undefined)
    expect(offered).toBeGreaterThan(30)
    // One message is sent before the first rejection, and one after it.
    expect(offered).toBeLessThanOrEqual(62)
  })

  it("is the same after it accepted many", () => {
    const paces = new Paces()
    for (let sent = 0; sent < 50; sent++) paces.accepted(lane, start - 9_000)
    // One message is sent before the first rejection, and then for a while half as many as were accepted.
    expect(refusedWithin(paces, () => undefined)).toBeLessThanOrEqual(80)
  })

  it("is the same where processes share it", () => {
    const { paces, settle } = makeShared()
    const offered = refusedWithin(paces, settle)
    expect(offered).toBeGreaterThan(30)
    expect(offered).toBeLessThanOrEqual(62)
  })
})

describe("a lane after a suspension", () => {
  const bounds = { startLimit: 3, maxLimit: 20 }
  /** Whether all messages were accepted, for each minute. */
  const minutes = fc.array(fc.boolean(), { maxLength: 25 })

  it("is sent to at 6 messages a minute, doubled after each minute in which all were accepted", () => {
    fc.assert(
      fc.property(minutes, fc.integer({ min: 1, max: 3 }), (all, refusals) => {
        let pace = resumePace(start)
        let clean = 0
        for (const [index, isClean] of all.entries()) {
          const at = start + index * minute
          if (clean >= 10) return
          expect(rateAt(pace, at)).toBe(6 * 2 ** clean)
          if (!isClean) for (let one = 0; one < refusals; one++) pace = heldBack(pace, at + 1 + one * 15_000)
          expect([rateAt(pace, at + minute - 1), pace.until > at]).toEqual([6 * 2 ** clean, true])
          clean += Number(isClean)
        }
      })
    )
  })

  it("is held back alike where processes share its pace, and slowed down further when it asks", () => {
    for (const { paces, settle } of [{ paces: new Paces(), settle: () => undefined }, makeShared()]) {
      paces.resume(lane, start, start)
      for (const at of [1, 2].map((index) => start + index * minute + 1_000)) {
        settle(at)
        paces.deferred(lane, at)
        settle(at + 1)
        paces.deferred(lane, at + 1_000)
        settle(at + 2_000)
      }
      const at = start + 4 * minute
      expect([1, 2, 3, 4].map((index) => rateAt(paces.of(lane)!, start + index * minute))).toEqual([
        12, 12, 12, 24
      ])
      paces.deferred(lane, at - 1_000)
      paces.slow(lane, 1, null, 0, at)
      settle(at)
      expect(rateAt(paces.of(lane)!, at)).toBe(1)
    }
  })

  it("has a limit of 1, doubled after each minute in which all were accepted, to half of what it was", () => {
    const success: Feedback = { _tag: "Success" }
    const blocked = learned({ ...newLane(bounds), width: 7 }, { _tag: "Blocked" }, bounds, start)
    expect(restored(learned(blocked, { _tag: "Blocked" }, bounds, start))).toEqual({
      ...blocked,
      width: 7,
      slowStart: null,
      flow: [{ ...blocked.flow[0]!, deferred: 2 }]
    })
    fc.assert(
      fc.property(minutes, fc.integer({ min: 1, max: 20 }), (all, before) => {
        let state = learned({ ...newLane(bounds), width: before }, { _tag: "Blocked" }, bounds, start)
        let at = start + 10 * minute
        // The outcome of messages in progress when the suspension began changes nothing.
        state = learned(state, success, bounds, start + 1_000)
        const half = Math.floor(before / 2)
        let width = 1
        for (const isClean of all) {
          for (let second = 0; second < 60; second += 6) {
            state = learned(state, success, bounds, at + second * 1_000)
            if (state.slowStart === null) break
            expect(state.width).toBe(width)
          }
          if (state.slowStart === null) break
          if (!isClean) {
            state = learned(state, { _tag: "Deferral" }, bounds, at + 59_000)
            width = state.width
          } else width = Math.min(width * 2, half)
          at += isClean ? minute : 59_000
        }
        // From half the width on, it grows by one each round.
        if (all.length < 6 || all.includes(false)) return
        expect([state.slowStart, state.width]).toEqual([null, Math.max(half, 1)])
        for (let sent = 0; sent < Math.max(half, 1); sent++) state = learned(state, success, bounds, at)
        expect(state.width).toBe(Math.max(half, 1) + 1)
      })
    )
  })
})
