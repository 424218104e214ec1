/**
 * Paces of lanes that servers asked to slow down, in one process and shared by several.
 *
 * @module
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { newLane, type SharedLane } from "../../../../core/model/Lane.ts"
import { LaneMemories, remembered } from "../../../../core/sending/shaping/LaneMemories.ts"
import { Paces } from "../../../../core/sending/shaping/Paces.ts"
import { Sites } from "../../../../core/sending/shaping/Sites.ts"

const minute = 60_000
const lane = "ip:192.0.2.1"
const start = 1_000 * minute

/** How many messages a server gets within an hour that refuses each, asked every second. */
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

/** Paces over a lane in a store that is written at once. */
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
        reach: () => undefined
      })
    ),
    settle
  }
}

describe("the pace of a lane whose server refuses each message for a rate", () => {
  it("is one message a minute", () => {
    const offered = refusedWithin(new Paces(), () => undefined)
    expect(offered).toBeGreaterThan(30)
    // One goes before the first refusal, and one after it.
    expect(offered).toBeLessThanOrEqual(62)
  })

  it("is the same after it accepted many", () => {
    const paces = new Paces()
    for (let sent = 0; sent < 50; sent++) paces.accepted(lane, start - 9_000)
    // One goes before the first refusal; then half of what was accepted, a while long.
    expect(refusedWithin(paces, () => undefined)).toBeLessThanOrEqual(80)
  })

  it("is the same where processes share it", () => {
    const { paces, settle } = makeShared()
    const offered = refusedWithin(paces, settle)
    expect(offered).toBeGreaterThan(30)
    expect(offered).toBeLessThanOrEqual(62)
  })
})
