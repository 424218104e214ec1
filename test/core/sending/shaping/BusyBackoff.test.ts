/**
 * Tests of long backlogs of slow lanes: how often their messages ask for a slot, and what is sent meanwhile.
 *
 * @module
 */
import { expect, it } from "vitest"
import { newLane, rateAt, type SharedLane } from "../../../../core/model/Lane.ts"
import { BusyBackoff } from "../../../../core/sending/shaping/BusyBackoff.ts"
import { LaneMemories, remembered } from "../../../../core/sending/shaping/LaneMemories.ts"
import { Paces, resumePace } from "../../../../core/sending/shaping/Paces.ts"
import { Sites } from "../../../../core/sending/shaping/Sites.ts"
import { makeRandom } from "../../../contract/fixtures.ts"

const minute = 60_000
const start = 1_000 * minute
const lane = "ip:192.0.2.1"
const second = 1_000

interface Course {
  /** The number of waiting messages, by account. */
  readonly waiting: Readonly<Record<string, number>>
  readonly processes: number
  readonly minutes: number
  /** Messages of an account that arrive later. */
  readonly later?: { readonly accountId: string; readonly at: number }
}

/** Simulates processes that share a lane resumed at `start`. Any process may ask for any message's slot. */
const run = ({ later, minutes, processes, waiting }: Course) => {
  let row: SharedLane = {
    ...newLane({ startLimit: 3, maxLimit: 20 }),
    lane,
    leases: [],
    pace: { ...resumePace(start), tokens: 1, tokensAt: start },
    marks: {},
    override: null,
    changedAt: start
  }
  const nodes = Array.from({ length: processes }, () => {
    const memories = new LaneMemories(() => undefined)
    memories.learn(row)
    const paces = new Paces({ ...shared(memories) })
    return { memories, paces, backoff: new BusyBackoff() }
  })
  /** The accounts of the messages due in each second. */
  const due = new Map<number, Array<string>>()
  const putBack = (accountId: string, at: number) => {
    const slot = Math.ceil((at - start) / second)
    const list = due.get(slot)
    if (list === undefined) due.set(slot, [accountId])
    else list.push(accountId)
  }
  // When the lane is resumed, a batch of claims finds the messages and defers them.
  const begin = new BusyBackoff()
  for (const [accountId, count] of Object.entries(waiting))
    for (let index = 0; index < count; index++)
      putBack(accountId, begin.nextTurn(lane, accountId, start, resumePace(start)))
  const asked = new Array<number>(minutes).fill(0)
  const sent = new Map<string, Array<number>>()
  const { below } = makeRandom(1)
  const shuffled = (list: ReadonlyArray<string>) =>
    list
      .map((one) => [below(1_000_000), one] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, one]) => one)
  let turn = 0
  for (let at = 0; at < minutes * 60; at++) {
    const now = start + at * second
    if (later !== undefined && now === later.at) putBack(later.accountId, now)
    for (const accountId of shuffled(due.get(at) ?? [])) {
      asked[Math.floor(at / 60)]!++
      const { backoff, paces } = nodes[turn++ % processes]!
      const next = paces.take(lane, now)
      if (next === null) sent.set(accountId, [...(sent.get(accountId) ?? []), now])
      else putBack(accountId, Math.max(now + 1, backoff.nextTurn(lane, accountId, next, paces.of(lane)!)))
    }
    due.delete(at)
    for (const { memories } of nodes) {
      if (!memories.isAsking(lane, now)) continue
      const request = memories.request(lane)
      const after = remembered(row, request, now + 500)
      row = after.lane
      memories.settle(row, request, after.turns, now + 500)
    }
  }
  return { asked, sent }
}

const shared = (memories: LaneMemories) => ({
  paceOf: (name: string) => memories.paceOf(name),
  setPace: () => undefined,
  take: (name: string, now: number) => memories.take(name, now),
  marksOf: () => [],
  setMarks: () => undefined,
  statedOf: () => ({}),
  unreached: () => null,
  reach: () => undefined,
  restore: () => undefined,
  isEncrypted: () => false,
  overrideOf: () => null,
  sites: new Sites(),
  acceptedAt: () => 0,
  refresh: undefined as never
})

const rateOf = (index: number) => rateAt(resumePace(start), start + index * minute)

for (const processes of [1, 4])
  it(`100,000 messages ask as often as their lane is sent to, with ${processes} processes`, () => {
    const { asked, sent } = run({ waiting: { one: 100_000 }, processes, minutes: 9 })
    const times = sent.get("one")!
    for (const [index, count] of asked.entries()) {
      expect([index, count <= 60 + processes * (90 + 6 * rateOf(index))]).toEqual([index, true])
      const within = times.filter((at) => Math.floor((at - start) / minute) === index).length
      expect([index, within <= rateOf(index) + 6]).toEqual([index, true])
      // At least 60 % of the rate is used.
      expect([index, within >= 0.6 * rateOf(index)]).toEqual([index, true])
    }
  })

it("a message of another account waits for a turn, not for the backlog", () => {
  const at = start + 2 * minute
  const { sent } = run({
    waiting: { one: 20_000 },
    processes: 2,
    minutes: 6,
    later: { accountId: "two", at }
  })
  expect(sent.get("two")).toHaveLength(1)
  expect(sent.get("two")![0]! - at).toBeLessThan(minute)
})

it("accounts share a lane, however much each has waiting", () => {
  const { asked, sent } = run({
    waiting: { one: 50_000, two: 50_000, three: 500 },
    processes: 2,
    minutes: 6
  })
  const counts = ["one", "two", "three"].map((account) => sent.get(account)?.length ?? 0)
  expect(Math.min(...counts)).toBeGreaterThan(0.5 * Math.max(...counts))
  expect(asked[0]).toBeLessThan(400)
})

it("mail of a lane without a pace is tried again 500 times a second", () => {
  const backoff = new BusyBackoff()
  const times = Array.from({ length: 1_000 }, () => backoff.nextAt("one.example", start))
  expect([times[0], times.at(-1)]).toEqual([start, start + 2 * 999])
  expect(backoff.nextAt("other.example", start)).toBe(start)
})
