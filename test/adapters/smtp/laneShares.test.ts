/**
 * Tests four processes that share the connections to one server, which counts them.
 *
 * Leases use a virtual clock; the connections are real.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Fiber, Layer, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"
import { layer as crypto } from "../../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../../adapters/memory/index.ts"
import { type AddressSlot, AddressSlots } from "../../../adapters/smtp/transport/AddressSlots.ts"
import * as Relay from "../../../adapters/smtp/transport/Relay.ts"
import { type LaneShare, LaneShares } from "../../../core/kernel/LaneShares.ts"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import { MailTransport } from "../../../core/ports/MailTransport.ts"
import { ShapingStore } from "../../../core/ports/ShapingStore.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import { Unavailable } from "../../../core/shared/Problem.ts"
import * as LaneLeases from "../../../core/sending/shaping/LaneLeases.ts"
import { startSmtpSink } from "../../support/smtpSink.ts"
import { messageTo, shortLimits } from "./transport.ts"

const limit = 4
const page = { page: 1, pageSize: 10 }
const yes = Effect.succeed(true)

const endpoint = Layer.succeed(PublicEndpoint, {
  baseUrl: () => "http://svc.test",
  mailHost: "svc.test",
  takesReports: false
})

const waitBriefly = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 10)))

/** Advances virtual time by seconds, with real time in between for the connections. */
const pass = (seconds: number) =>
  Effect.forEach(
    Array.from({ length: seconds }),
    () => Effect.andThen(TestClock.adjust(1_000), waitBriefly),
    { discard: true }
  )

/** Like `pass`, until a condition holds. If it never holds, the caller's assertion fails. */
const passUntil = <E, R>(holds: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    for (let second = 0; second < 1_000 && !(yield* holds); second++) yield* pass(1)
  })

/** A process that sends as fast as it may until it is stopped or killed. */
const startNode = Effect.fnUntraced(function* (url: string, workers = 8) {
  const store = yield* ShapingStore
  const transactions = yield* Transaction
  const scope = yield* Scope.make()
  const node = { sent: 0, statements: 0, isCutOff: false }
  const counted = <A>(statements: number, effect: Effect.Effect<A, Unavailable>) =>
    Effect.suspend(() => {
      node.statements += statements
      return node.isCutOff ? Effect.fail(new Unavailable({ cause: "cut off" })) : effect
    })
  const lockLanes: typeof store.lockLanes = (lanes) => counted(2, store.lockLanes(lanes))
  const exchangeLanes: typeof store.exchangeLanes = (lanes) => counted(1, store.exchangeLanes(lanes))
  const leases = Layer.fresh(LaneLeases.layer).pipe(
    Layer.provide([
      crypto,
      Layer.succeed(Transaction, transactions),
      Layer.succeed(ShapingStore, ShapingStore.of({ ...store, exchangeLanes, lockLanes }))
    ])
  )
  const layer = Relay.layer({ url: Redacted.make(`${url}?pool=${limit}`), limits: shortLimits }).pipe(
    Layer.provide([endpoint, leases])
  )
  const { send } = Context.get(yield* Scope.provide(Layer.build(layer), scope), MailTransport)
  const work = Effect.forever(
    Effect.gen(function* () {
      const { _tag } = yield* send(messageTo("ada@example.org"), yes)
      if (_tag === "Sent") node.sent++
      else yield* waitBriefly
    })
  )
  const fibers = yield* Effect.forEach(Array.from({ length: workers }), () => Effect.forkChild(work))
  const end = Effect.andThen(Fiber.interruptAll(fibers), Scope.close(scope, Exit.void))
  return {
    node,
    stop: end,
    /** Its lease remains. */
    kill: Effect.suspend(() => {
      node.isCutOff = true
      return end
    })
  }
})

type Node = Effect.Success<ReturnType<typeof startNode>>

const places = Effect.gen(function* () {
  const { items } = yield* (yield* ShapingStore).lanes(page, { lane: ["relay"] })
  return items.flatMap(({ leases }) => leases.map((lease) => lease.places))
})

it.effect("processes never have more connections than the limit, and share it", () =>
  Effect.gen(function* () {
    const sink = yield* Effect.promise(() => startSmtpSink({ startTls: "off", delay: 20 }))
    const nodes = yield* Effect.forEach(Array.from({ length: 4 }), () => startNode(sink.url))
    const shared = (...expected: ReadonlyArray<number>) =>
      Effect.map(places, (found) => found.toString() === expected.toString())
    yield* passUntil(shared(1, 1, 1, 1))
    expect(yield* places).toEqual([1, 1, 1, 1])
    yield* passUntil(Effect.sync(() => nodes.every(({ node }) => node.sent > 0)))
    expect(nodes.map(({ node }) => node.sent > 0)).toEqual([true, true, true, true])
    expect(sink.connections().peak).toBe(limit)

    // Two statements every five seconds, however much is sent.
    const before = nodes[0]!.node.statements
    yield* pass(20)
    expect(nodes[0]!.node.statements - before).toBeLessThanOrEqual(10)

    // The share of a killed process is free when its lease ends, that of a stopped one at once.
    const [killed, stopped, cutOff, last] = nodes as [Node, Node, Node, Node]
    yield* killed.kill
    yield* stopped.stop
    expect(yield* places).toHaveLength(3)
    yield* pass(21)
    yield* passUntil(shared(2, 2))
    expect(yield* places).toEqual([2, 2])

    // A process that loses the database stops sending before the others get its places.
    cutOff.node.isCutOff = true
    yield* pass(12)
    yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 200)))
    const { sent } = cutOff.node
    yield* passUntil(shared(limit))
    expect(yield* places).toEqual([limit])
    const soFar = last.node.sent
    yield* passUntil(Effect.sync(() => last.node.sent > soFar))
    expect(last.node.sent).toBeGreaterThan(soFar)
    expect(cutOff.node.sent).toBe(sent)
    expect(sink.connections().peak).toBe(limit)

    // It continues once it reaches the database again.
    cutOff.node.isCutOff = false
    yield* passUntil(Effect.sync(() => cutOff.node.sent > sent))
    expect(cutOff.node.sent).toBeGreaterThan(sent)
    expect(sink.connections().peak).toBe(limit)
    yield* cutOff.stop
    yield* last.stop
    expect(yield* places).toEqual([])
    yield* Effect.promise(() => sink.stop())
  }).pipe(Effect.provide(Layer.fresh(memory)))
)

it.effect("what a lane has learned outlives the processes", () =>
  Effect.gen(function* () {
    const sink = yield* Effect.promise(() => startSmtpSink({ startTls: "off" }))
    sink.answer("greeting", "421 4.3.2 try again in 10 minutes")
    const first = yield* startNode(sink.url, 1)
    yield* passUntil(Effect.sync(() => sink.connections().made > 0))
    // What it learned is stored when it stops.
    yield* pass(10)
    yield* first.stop
    const made = sink.connections().made
    expect(made).toBe(1)
    const second = yield* startNode(sink.url, 1)
    yield* pass(8)
    expect(sink.connections().made).toBe(made)
    sink.answer("greeting", null)
    yield* TestClock.adjust(600_000)
    yield* passUntil(Effect.sync(() => second.node.sent > 0))
    expect(second.node.sent).toBeGreaterThan(0)
    yield* second.stop
    yield* Effect.promise(() => sink.stop())
  }).pipe(Effect.provide(Layer.fresh(memory)))
)

it.effect(
  "a process begins with all of a rate's burst only where no other used the lane within a minute",
  () =>
    Effect.gen(function* () {
      const shareOf = Effect.map(
        Layer.build(Layer.fresh(LaneLeases.layer).pipe(Layer.provide(crypto))),
        (built) =>
          Context.get(built, LaneShares).share(
            "ip:192.0.2.1",
            { startLimit: 4, maxLimit: 4 },
            {
              changed: () => undefined,
              lost: () => undefined
            }
          )
      )
      const begin = Effect.fnUntraced(function* (share: LaneShare) {
        share.use(1, 0, yield* Clock.currentTimeMillis)
        yield* TestClock.adjust(100)
        expect(share.places(yield* Clock.currentTimeMillis)).toBeGreaterThan(0)
        return share.isRested()
      })
      yield* TestClock.setTime(1_000_000_000)
      expect(yield* begin(yield* shareOf)).toBe(true)
      expect(yield* begin(yield* shareOf)).toBe(false)
    }).pipe(Effect.provide(Layer.fresh(memory)))
)

it.effect("a clock that is set back or forward stops no process, and lets no more connections open", () =>
  Effect.gen(function* () {
    const start = 1_000_000_000
    yield* TestClock.setTime(start)
    const clock = yield* Clock.Clock
    const moved = { offset: 0 }
    const now = () => clock.currentTimeMillisUnsafe() + moved.offset
    const shown: Clock.Clock = {
      ...clock,
      currentTimeMillisUnsafe: now,
      currentTimeMillis: Effect.sync(now),
      sleep: (duration) => clock.sleep(duration)
    }
    const built = yield* Effect.provideService(
      Layer.build(Layer.fresh(LaneLeases.layer).pipe(Layer.provide(crypto))),
      Clock.Clock,
      shown
    )
    const noListener = { changed: () => undefined, lost: () => undefined }
    const bounds = { startLimit: 4, maxLimit: 4 }
    const lane = Context.get(built, LaneShares).share("ip:192.0.2.1", bounds, noListener)
    const perMinute = 60
    /** The seconds in which connections were opened, and the seconds in which there was no place. */
    const opened: Array<number> = []
    const without: Array<number> = []
    for (let second = 0; second < 420; second++) {
      if (second === 120) moved.offset = -3_600_000
      if (second === 240) moved.offset = -3_602_500
      if (second === 300) moved.offset = 3_600_000
      lane.use(4, 0, now())
      if (lane.places(now()) === 0) without.push(second)
      while (lane.takeOpening!(perMinute, now()) === null) opened.push(second)
      yield* TestClock.adjust(1_000)
    }
    const within = (from: number, to: number) =>
      opened.filter((second) => second >= from && second < to).length
    for (let second = 0; second < 360; second++)
      expect(within(second, second + 60)).toBeLessThanOrEqual(perMinute)
    for (const second of [60, 120, 180, 240, 300, 360])
      expect([second, within(second, second + 60) > perMinute / 2]).toEqual([second, true])
    expect(without.filter((second) => second > 1 && second < 300)).toEqual([])
    expect(without.filter((second) => second >= 300).length).toBeLessThanOrEqual(5)
  }).pipe(Effect.provide(Layer.fresh(memory)))
)

it.effect("processes share the connections to an address and to a network, whichever lanes they are of", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(1_000_000_000)
    const clock = yield* Clock.Clock
    const store = yield* ShapingStore
    const transactions = yield* Transaction
    const startProcess = Effect.gen(function* () {
      const state = { isCutOff: false }
      const unlessCutOff = <A>(effect: Effect.Effect<A, Unavailable>) =>
        Effect.suspend(() => (state.isCutOff ? Effect.fail(new Unavailable({ cause: "cut off" })) : effect))
      const lockLanes: typeof store.lockLanes = (lanes) => unlessCutOff(store.lockLanes(lanes))
      const exchangeLanes: typeof store.exchangeLanes = (lanes) => unlessCutOff(store.exchangeLanes(lanes))
      const leases = Layer.fresh(LaneLeases.layer).pipe(
        Layer.provide([
          crypto,
          Layer.succeed(Transaction, transactions),
          Layer.succeed(ShapingStore, ShapingStore.of({ ...store, exchangeLanes, lockLanes }))
        ])
      )
      const { share } = Context.get(yield* Layer.build(leases), LaneShares)
      const slots = new AddressSlots(share, () => clock.currentTimeMillisUnsafe())
      const held = new Map<string, Array<AddressSlot>>()
      /** Opens as many connections to an address as allowed. */
      const open = (address: string) => {
        const own = held.get(address) ?? []
        held.set(address, own)
        for (let slot = slots.take(address); slot !== null; slot = slots.take(address)) own.push(slot)
      }
      const close = (address: string) =>
        held
          .get(address)
          ?.splice(0)
          .forEach((slot) => slot.release())
      return { slots, state, open, close, count: (address: string) => held.get(address)?.length ?? 0 }
    })
    const processes = [yield* startProcess, yield* startProcess]
    const [first, second] = processes as [(typeof processes)[number], (typeof processes)[number]]
    const all = (address: string) => first.count(address) + second.count(address)
    const addresses = Array.from({ length: 8 }, (_, index) => `192.0.2.${index + 1}`)
    const stopAsking = processes.map(({ slots }) =>
      addresses.flatMap((address) => Array.from({ length: 20 }, () => slots.expect(address)))
    )
    for (let moment = 0; moment < 40; moment++) {
      yield* TestClock.adjust(1_000)
      for (const { close, open } of processes)
        for (const address of addresses) {
          // Connections end and begin, so that shares move.
          if (moment % 7 === 0) close(address)
          open(address)
        }
      for (const address of addresses) expect(all(address)).toBeLessThanOrEqual(20)
      expect(addresses.reduce((sum, address) => sum + all(address), 0)).toBeLessThanOrEqual(60)
    }
    const sums = processes.map(({ count }) => addresses.reduce((sum, address) => sum + count(address), 0))
    expect(sums).toEqual([30, 30])

    // The share of a killed process is free once its leases have ended.
    first.state.isCutOff = true
    for (const address of addresses) first.close(address)
    for (let passed = 0; passed < 30; passed++) {
      yield* TestClock.adjust(1_000)
      for (const address of addresses) second.open(address)
    }
    expect(addresses.reduce((sum, address) => sum + second.count(address), 0)).toBe(60)
    expect(Math.max(...addresses.map(second.count))).toBe(20)
    expect((yield* store.lanes(page, {})).items).toEqual([])
    for (const asking of stopAsking) for (const stop of asking) stop()
  }).pipe(Effect.provide(Layer.fresh(memory)))
)
