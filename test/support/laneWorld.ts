/**
 * A simulation of servers that slow down and reject, and of processes that share the lanes to them and die. It is reproducible
 * from a seed and runs on a virtual clock. The processes lease their shares as the service does; the connections are simulated.
 *
 * @module
 */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { layer as crypto } from "../../adapters/crypto/Crypto.ts"
import {
  consequenceOf,
  noConversation,
  type TransactionResult
} from "../../adapters/smtp/transport/TransactionResult.ts"
import { LaneShares, type LaneShare, type LaneSharesShape } from "../../core/kernel/LaneShares.ts"
import { ShapingStore } from "../../core/ports/ShapingStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import * as LaneLeases from "../../core/sending/shaping/LaneLeases.ts"
import { parseReply, type SmtpStage } from "../../core/sending/shaping/SmtpReply.ts"
import { Unavailable } from "../../core/shared/Problem.ts"
import { makeRandom } from "../contract/fixtures.ts"

const tick = 500
export const unprovenLimit = 2
const epoch = 1_000_000_000

/** The course of a simulation. All times are in milliseconds from its start. */
export interface Course {
  readonly seed: number
  readonly lanes: number
  readonly processes: number
  /** The average number of messages that arrive for a lane in half a second. */
  readonly arrivals: number
  /** When the servers slow down, and when they are back to normal; null if they never slow down. */
  readonly slowed: { readonly from: number; readonly until: number } | null
  /** When a process is killed, a different one each time, and when an additional one starts. */
  readonly kills: ReadonlyArray<number>
  readonly starts: ReadonlyArray<number>
  /** When messages stop arriving. */
  readonly mailUntil: number
  readonly end: number
}

/** A connection that transmits a message. */
interface Offered {
  readonly message: number
  readonly lane: Destination
  readonly node: Node
  readonly endsAt: number
}

/** What a slow server does with a connection; null if it just accepts the message. */
type Behaviour = (
  open: number,
  accepted: number
) => readonly [stage: SmtpStage, reply: string] | "Lost" | null

/** The ways in which servers slow down. */
const behaviours: ReadonlyArray<Behaviour> = [
  () => null,
  (_open, accepted) => (accepted > 0 ? ["Rcpt", "450 4.7.28 unusual rate of unsolicited mail"] : null),
  (open) => (open > 1 ? ["Connect", "421 4.3.2 too many connections from your host"] : null),
  () => ["Message", "451 4.3.0 try again later"],
  () => "Lost"
]

/** A lane and the server behind it. */
export class Destination {
  readonly name: string
  readonly bounds: { readonly startLimit: number; readonly unprovenLimit: number; readonly maxLimit: number }
  readonly behaviour: Behaviour
  readonly waiting: Array<number> = []
  readonly accepted = new Set<number>()
  open = 0
  peak = 0
  /** The most connections before the server first accepted a message. */
  unprovenPeak = 0
  acceptedInTick = 0
  bounced = 0
  /** The number of messages that it accepted more than once. */
  twice = 0

  constructor(index: number, maxLimit: number) {
    this.name = `ip:192.0.2.${index}`
    this.bounds = { startLimit: Math.min(3, maxLimit), unprovenLimit, maxLimit }
    this.behaviour = behaviours[index % behaviours.length]!
  }
}

/** A process with its shares and its open connections. */
class Node {
  readonly shares: ReadonlyMap<Destination, LaneShare>
  readonly offered = new Set<Offered>()

  constructor(lanes: ReadonlyArray<Destination>, share: LaneSharesShape["share"]) {
    this.shares = new Map(
      lanes.map((lane) => {
        const lost = () => {
          for (const one of this.offered) if (one.lane === lane) this.abandon(one)
        }
        return [lane, share(lane.name, lane.bounds, { changed: () => undefined, lost })] as const
      })
    )
  }

  close(one: Offered): void {
    this.offered.delete(one)
    one.lane.open--
  }

  /** Closes a connection before the message was accepted. The message waits again. */
  abandon(one: Offered): void {
    this.close(one)
    one.lane.waiting.unshift(one.message)
  }

  openTo(lane: Destination): number {
    let open = 0
    for (const one of this.offered) if (one.lane === lane) open++
    return open
  }

  /** Finishes due transmissions, and opens as many connections as allowed. */
  work(now: number, isSlow: boolean, random: () => number): void {
    for (const one of this.offered) if (one.endsAt <= now) this.finish(one, now, isSlow)
    for (const [lane, share] of this.shares) {
      const hasPlace = () => share.suspendedUntil(now) === null && this.openTo(lane) < share.places(now)
      while (lane.waiting.length > 0 && hasPlace()) {
        const one = { message: lane.waiting.shift()!, lane, node: this, endsAt: now + 200 + random() * 1_500 }
        this.offered.add(one)
        lane.open++
        lane.peak = Math.max(lane.peak, lane.open)
        if (lane.accepted.size === 0) lane.unprovenPeak = Math.max(lane.unprovenPeak, lane.open)
      }
      const open = this.openTo(lane)
      share.use(open + Math.min(lane.waiting.length, lane.bounds.maxLimit), open, now)
    }
  }

  finish(one: Offered, now: number, isSlow: boolean): void {
    const { lane, message } = one
    const share = this.shares.get(lane)!
    // A process that has lost its lease does not send the last byte.
    if (!share.isHeld(now)) return this.abandon(one)
    const said = isSlow ? lane.behaviour(lane.open, lane.acceptedInTick) : null
    const conversation = noConversation("")
    const result: TransactionResult =
      said === null
        ? { _tag: "Accepted", conversation }
        : said === "Lost"
          ? { _tag: "Lost", progress: "none", conversation }
          : { _tag: "Rejected", stage: said[0], reply: parseReply(said[1]), conversation }
    const context = { name: lane.name, provider: null, isRelay: false, domain: "example.org", attempts: 0 }
    const { feedback, outcome } = consequenceOf(result, "Delivered", context)
    if (outcome._tag === "Delivered") {
      if (lane.accepted.has(message)) lane.twice++
      lane.accepted.add(message)
      lane.acceptedInTick++
      this.close(one)
    } else {
      if (outcome._tag !== "Held" && outcome._tag !== "Deferred") lane.bounced++
      this.abandon(one)
    }
    if (feedback !== null) share.learn(feedback, now)
  }
}

/** Starts a process on the test's storage. */
const startNode = Effect.fnUntraced(function* (lanes: ReadonlyArray<Destination>) {
  const store = yield* ShapingStore
  const transactions = yield* Transaction
  const scope = yield* Scope.make()
  const state = { isCutOff: false, statements: 0 }
  const counted = <A>(statements: number, effect: Effect.Effect<A, Unavailable>) =>
    Effect.suspend(() => {
      state.statements += statements
      return state.isCutOff ? Effect.fail(new Unavailable({ cause: "cut off" })) : effect
    })
  const lockLanes: typeof store.lockLanes = (given) => counted(2, store.lockLanes(given))
  const exchangeLanes: typeof store.exchangeLanes = (given) => counted(1, store.exchangeLanes(given))
  const leases = Layer.fresh(LaneLeases.layer).pipe(
    Layer.provide([
      crypto,
      Layer.succeed(Transaction, transactions),
      Layer.succeed(ShapingStore, ShapingStore.of({ ...store, exchangeLanes, lockLanes }))
    ])
  )
  const context = yield* Scope.provide(Layer.build(leases), scope)
  const node = new Node(lanes, Context.get(context, LaneShares).share)
  return {
    node,
    state,
    /** Closes the process's connections and leaves its leases behind. */
    kill: Effect.suspend(() => {
      state.isCutOff = true
      for (const one of node.offered) node.abandon(one)
      return Scope.close(scope, Exit.void)
    }),
    stop: Scope.close(scope, Exit.void)
  }
})

/** Runs a simulation on the virtual clock. */
export const simulate = Effect.fnUntraced(function* (course: Course) {
  const { arrivals, end, kills, mailUntil, seed, slowed, starts } = course
  const { below } = makeRandom(seed)
  const random = () => below(1_000_000) / 1_000_000
  const lanes = Array.from({ length: course.lanes }, (_, index) => new Destination(index, 1 + below(8)))
  const nodes = yield* Effect.forEach(Array.from({ length: course.processes }), () => startNode(lanes))
  let arrived = 0
  /** The messages accepted in each second. */
  const accepted = new Array<number>(Math.ceil(end / 1_000)).fill(0)
  yield* TestClock.setTime(epoch)
  for (let now = 0; now < end; now += tick) {
    yield* TestClock.adjust(tick)
    if (kills.includes(now)) yield* nodes.splice(0, 1)[0]!.kill
    if (starts.includes(now)) nodes.push(yield* startNode(lanes))
    const isSlow = slowed !== null && now >= slowed.from && now < slowed.until
    for (const lane of lanes) {
      lane.acceptedInTick = 0
      if (now < mailUntil && random() < arrivals) lane.waiting.push(arrived++)
    }
    for (const { node } of nodes) node.work(epoch + now + tick, isSlow, random)
    accepted[Math.floor(now / 1_000)]! += lanes.reduce((sum, lane) => sum + lane.acceptedInTick, 0)
  }
  yield* Effect.forEach(nodes, ({ stop }) => stop)
  return { lanes, arrived, accepted, statements: nodes.map(({ state }) => state.statements) }
})
