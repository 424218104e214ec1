/**
 * Tests the concurrency limit and the suspension of a lane, and the limit on the number of lanes.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { Lane, type LaneOptions, type Slot } from "../../../adapters/smtp/transport/Lane.ts"
import { Lanes } from "../../../adapters/smtp/transport/Lanes.ts"
import { RelayWay } from "../../../adapters/smtp/smarthost/RelayWay.ts"
import type { ConnectionPlace } from "../../../adapters/smtp/transport/AddressSlots.ts"
import type { LaneListener, LaneSharesShape } from "../../../core/kernel/LaneShares.ts"
import type { Feedback } from "../../../core/model/Lane.ts"
import { type MailClass, mailClasses, type RelayRoute } from "../../../core/model/Message.ts"

const options: LaneOptions = { startLimit: 2, maxLimit: 5, idleMillis: 1000, maxUses: 10 }

/** A request, and its slot once granted. */
interface Requested {
  slot: Slot | null
  readonly withdraw: () => void
  readonly release: (feedback: Feedback | null, now?: number) => void
}

const request = (lane: Lane, accountId = "account", mailClass?: MailClass): Requested => {
  const made = lane.request(0, accountId, mailClass)
  const requested: Requested = {
    slot: null,
    withdraw: () => lane.withdraw(made, 0),
    release: (feedback, now = 0) => lane.release(made, feedback, now)
  }
  void Effect.runPromise(made.slot).then((slot) => {
    requested.slot = slot
  })
  return requested
}

/** Takes a slot and releases it with the given feedback. */
const use = (lane: Lane, feedback: Feedback, now = 0): void =>
  lane.release(lane.request(now, "account"), feedback, now)

const soon = () => new Promise((resolve) => setImmediate(resolve))

describe("a lane", () => {
  it("grants as many slots as its limit, and the next when one is released", async () => {
    const lane = new Lane(options)
    const requested = [request(lane), request(lane), request(lane)]
    await soon()
    expect(requested.map(({ slot }) => slot?._tag)).toEqual(["Granted", "Granted", undefined])
    requested[0]?.release(null)
    await soon()
    expect(requested[2]?.slot).toEqual({ _tag: "Granted" })
  })

  it("grants the slot of a withdrawn request to the next, whether it was granted or not", async () => {
    const lane = new Lane({ ...options, startLimit: 1 })
    const [first, gone, last] = [request(lane), request(lane), request(lane)]
    await soon()
    expect(first?.slot).toEqual({ _tag: "Granted" })
    gone?.withdraw()
    const granted = request(lane)
    first?.release(null)
    await soon()
    expect(last?.slot).toEqual({ _tag: "Granted" })
    last?.release(null)
    granted.withdraw()
    const next = request(lane)
    await soon()
    expect(next.slot).toEqual({ _tag: "Granted" })
  })

  it("raises its limit on success and lowers it on deferral, within its bounds", () => {
    const lane = new Lane(options)
    const rounds = (count: number, feedback: "Success" | "Deferral") => {
      for (let round = 0; round < count; round++) use(lane, { _tag: feedback })
      return lane.limit(0)
    }
    expect(rounds(2, "Success")).toBe(3)
    expect(rounds(100, "Success")).toBe(5)
    expect(rounds(1, "Deferral")).toBe(4)
    expect(rounds(100, "Deferral")).toBe(1)
  })

  it("is suspended for the stated wait, and ends the requests that wait", async () => {
    const lane = new Lane({ ...options, startLimit: 1 })
    const [first, waiting] = [request(lane), request(lane)]
    first?.release({ _tag: "Unavailable", wait: 300_000 }, 1000)
    await soon()
    expect(waiting?.slot).toEqual({ _tag: "Suspended", until: 301_000 })
    expect(lane.suspendedUntil(1000)).toBe(301_000)
    expect(lane.busyUntil(1000, 0, "account")).toBe(301_000)
    expect(lane.suspendedUntil(301_000)).toBeNull()
  })

  it("is suspended from the third failure in a row on, longer each time, and not after a success", () => {
    const lane = new Lane({ ...options, startLimit: 1 })
    let now = 1_000_000
    const fail = () => {
      use(lane, { _tag: "Unavailable", wait: null }, now)
      const millis = (lane.suspendedUntil(now) ?? now) - now
      now += millis
      return millis / 1000
    }
    expect([fail(), fail()]).toEqual([0, 0])
    for (const seconds of [30, 60, 120, 240, 480, 900, 900, 900]) {
      const found = fail()
      expect(found).toBeGreaterThanOrEqual(0.8 * seconds)
      expect(found).toBeLessThanOrEqual(1.2 * seconds)
    }
    use(lane, { _tag: "Success" }, now)
    expect([fail(), fail()]).toEqual([0, 0])
    expect(fail()).toBeGreaterThan(0)
    // A wait that the server states counts for at most an hour.
    use(lane, { _tag: "Unavailable", wait: 24 * 3_600_000 }, now)
    expect(lane.suspendedUntil(now)).toBe(now + 3_600_000)
  })

  it("has few slots until its destination accepts a message, and again a day after the last", () => {
    const lane = new Lane({ ...options, startLimit: 3, unprovenLimit: 1 })
    expect([lane.isProven(0), lane.limit(0)]).toEqual([false, 1])
    use(lane, { _tag: "Success" })
    expect([lane.isProven(1), lane.limit(1)]).toEqual([true, 3])
    expect([lane.isProven(86_400_000), lane.limit(86_400_000)]).toEqual([false, 1])
  })

  it("grants the next slot to the account that has fewest, however many of another's wait", async () => {
    const lane = new Lane(options)
    const many = Array.from({ length: 40 }, () => request(lane, "many"))
    await soon()
    expect(many.filter(({ slot }) => slot?._tag === "Full").length).toBeGreaterThan(0)
    const one = request(lane, "one")
    await soon()
    expect(one.slot).toBeNull()
    many[0]!.release(null)
    await soon()
    expect(one.slot).toEqual({ _tag: "Granted" })
    expect(lane.busyUntil(0, 0, "many")).not.toBeNull()
    expect(lane.busyUntil(0, 0, "another")).toBeNull()
  })

  it("is not full for transactional email by what waits of campaigns, nor for flows", async () => {
    const lane = new Lane({ ...options, waitsForSlot: false })
    for (let index = 0; index < 40; index++) request(lane, "account", "Campaign")
    expect(mailClasses.map((one) => lane.busyUntil(0, 0, "account", one) === null)).toEqual([
      true,
      true,
      false
    ])
    for (let index = 0; index < 40; index++) request(lane, "account", "Flow")
    expect(mailClasses.map((one) => lane.busyUntil(0, 0, "account", one) === null)).toEqual([
      true,
      false,
      false
    ])
    const one = request(lane)
    expect(lane.waitingBefore("Transactional")).toBe(1)
    await soon()
    expect(one.slot).toBeNull()
  })

  it("grants no more slots than its limit, some to none of campaigns, in the order of kinds, and lets none wait that may have a free one", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...mailClasses, "success", "deferral", "nothing", "withdraw" as const), {
          maxLength: 60
        }),
        fc.integer({ min: 1, max: 5 }),
        async (steps, startLimit) => {
          const lane = new Lane({ ...options, startLimit })
          const open: Array<Requested & { readonly mailClass: MailClass }> = []
          const granted = () => open.filter((requested) => requested.slot?._tag === "Granted")
          const ofCampaigns = () => granted().filter(({ mailClass }) => mailClass === "Campaign").length
          const isWaiting = (mailClass: MailClass) =>
            open.some((requested) => requested.mailClass === mailClass && requested.slot === null)
          for (const step of steps) {
            const before = ofCampaigns()
            if (step === "Transactional" || step === "Flow" || step === "Campaign")
              open.push(Object.assign(request(lane, "account", step), { mailClass: step }))
            else if (step === "withdraw") open.pop()?.withdraw()
            else {
              const one = granted()[0]
              if (one !== undefined) {
                open.splice(open.indexOf(one), 1)
                one.release(step === "nothing" ? null : { _tag: step === "success" ? "Success" : "Deferral" })
              }
            }
            await soon()
            const limit = lane.limit(0)
            const most = Math.max(1, Math.floor(0.8 * limit))
            const isTaken = granted().length >= limit
            if (isWaiting("Transactional") || isWaiting("Flow")) expect(isTaken).toBe(true)
            else if (isWaiting("Campaign")) expect(isTaken || ofCampaigns() >= most).toBe(true)
            // The limit may have decreased in the meantime.
            expect(ofCampaigns()).toBeLessThanOrEqual(Math.max(before, most))
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
  const lanes = new Lanes()
  const lane = lanes.laneTo("a.test", "mx.test", null, options, 0)
  expect(lanes.laneTo("b.test", "mx.test", null, options, 0)).toBe(lane)
  expect(lanes.lastLaneOf("b.test")).toBe(lane)
  expect(lanes.lastLaneOf("c.test")).toBeNull()
  const from = lanes.laneTo("a.test", "mx.test", { address: "192.0.2.1" }, options, 0)
  expect(from).not.toBe(lane)
  expect(lanes.lastLaneOf("b.test", "192.0.2.1")).toBe(from)
  expect(lanes.lastLaneOf("a.test")).toBe(lane)
  const busy = lanes.laneTo("busy.test", "busy", null, options, 0)
  busy.request(0, "account")
  for (let index = 0; index < 10_100; index++) lanes.laneTo(`d${index}.test`, `mx${index}`, null, options, 0)
  expect(lanes.lastLaneOf("a.test")).toBeNull()
  expect(lanes.lastLaneOf("busy.test")).toBe(busy)
})

/** The share of a process that permanently has a part of a lane's places. */
const partOf =
  (places: number, width: number): LaneSharesShape["share"] =>
  () => ({
    places: () => places,
    width: () => width,
    isHeld: () => true,
    isRested: () => true,
    fullUntil: () => null,
    isProven: () => false,
    statedUses: () => Infinity,
    suspendedUntil: () => null,
    learn: () => undefined,
    adopt: () => undefined,
    use: () => undefined
  })

const route: RelayRoute = {
  _tag: "Relay",
  id: "one",
  host: "relay.example",
  port: 587,
  tls: "Required",
  verify: true,
  credentials: null,
  pool: 10,
  isGuarded: true,
  success: "Sent",
  maxPerSecond: 20,
  headers: []
}

/** Opens a connection of a lane and closes it again; false if it may not be opened now. */
const opens = (lane: Lane): boolean => {
  let place: ConnectionPlace | null = null
  const cancel = Effect.runCallback(lane.openPlace, {
    onExit: (exit) => {
      if (exit._tag === "Success") place = exit.value
    }
  })
  cancel()
  const found = place as ConnectionPlace | null
  found?.release()
  return found !== null
}

describe("the connections of a minute", () => {
  const width = 4
  /** The holder of each place in each 15 seconds, of which one moves at a time, and whether anything is sent then. */
  const turns = fc.array(
    fc.record({
      place: fc.nat({ max: width - 1 }),
      holder: fc.nat({ max: 3 }),
      isBusy: fc.boolean()
    }),
    { minLength: 8, maxLength: 16 }
  )

  it("are no more than its servers take, at first, after a pause and however processes share it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 40, max: 200 }), turns, (connectionsPerMinute, moves) => {
        let now = 0
        const holders = Array.from({ length: width }, () => 0)
        const opened: Array<number> = []
        const nodes = [0, 1, 2, 3].map((node) => {
          const listeners: Array<LaneListener> = []
          const share: LaneSharesShape["share"] = (_lane, _bounds, listener) => {
            listeners.push(listener)
            return {
              ...partOf(0, width)("", options, listener),
              places: () => holders.filter((holder) => holder === node).length,
              isRested: () => now - (opened.at(-1) ?? -Infinity) >= 60_000
            }
          }
          const lane = new Lane({ ...options, connectionsPerMinute }, { name: "", share, clock: () => now })
          return { lane, changed: () => listeners[0]!.changed(now) }
        })
        for (const { holder, isBusy, place } of [{ place: 0, holder: 0, isBusy: true }, ...moves]) {
          holders[place] = holder
          for (const { changed } of nodes) changed()
          for (const end = now + 15_000; now < end; now += 100)
            for (const { lane } of isBusy ? nodes : []) while (opens(lane)) opened.push(now)
        }
        for (const { lane } of nodes) lane.close()
        for (const [index, from] of opened.entries()) {
          const within = opened.slice(index).filter((at) => at < from + 60_000)
          expect(within.length).toBeLessThanOrEqual(connectionsPerMinute)
        }
        // Most of the connections are used while there is mail.
        const first = moves.slice(0, 3).every(({ isBusy }) => isBusy)
        if (first)
          expect(opened.filter((at) => at < 60_000).length).toBeGreaterThan(0.6 * connectionsPerMinute)
      }),
      { numRuns: 15 }
    )
  })
})

describe("the way of a relay", () => {
  it("keeps the relay's rate over all processes, from its first message on", () => {
    let now = 0
    const ways = [5, 3, 2].map((places) => new RelayWay(route, "", partOf(places, 10), () => now))
    const sent: Array<number> = []
    for (; now < 10_000; now += 5) {
      for (const { lane } of ways) {
        const made = lane.request(now, "account")
        if (made.result?._tag === "Granted") sent.push(now)
        lane.withdraw(made, now)
      }
    }
    for (const { lane } of ways) lane.close()
    // Each process begins with its own message.
    expect(sent.length).toBeGreaterThan(190)
    expect(sent.length).toBeLessThanOrEqual(200 + ways.length)
    for (const start of sent) {
      const within = sent.filter((at) => at >= start && at < start + 1_000)
      expect(within.length).toBeLessThanOrEqual(20 + ways.length)
    }
  })

  it("is busy while more messages wait than leave soon, by its limits as they are now", () => {
    const way = new RelayWay({ ...route, maxPerSecond: 2 }, "", partOf(10, 10), () => 0)
    expect(way.busyUntil(0, 4, "account")).toBeNull()
    expect(way.busyUntil(0, 40, "account")).toBe(20_000)
    way.adopt({ ...route, maxPerSecond: null })
    expect(way.busyUntil(0, 40, "account")).toBeNull()
    // A relay that cannot be used is not waited for: mail takes the next one.
    way.adopt({ ...route, maxPerSecond: 2 })
    way.fails("relays.login_failed", "535 no", 0)
    expect(way.busyUntil(1_000, 40, "account")).toBeNull()
  })
})
