/**
 * Leases shares of lanes for a process. Processes that use the same lanes share their connection limits through the database:
 * each leases a few connections (places) of a lane for some seconds. All lanes are renewed in one statement or, if other
 * processes use them, in one transaction of two statements. A message costs no statement. Rates, and rejections that count
 * together, are written in the same statements.
 *
 * The process applies what it learns to its own copy at once, and to the copy in the database with the next renewal.
 *
 * @module
 */
import { Clock, Effect, Latch, Layer, Metric } from "effect"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import {
  type LaneListener,
  type LaneMemory,
  type LaneShare,
  LaneShares,
  type LaneSharesShape
} from "../../kernel/LaneShares.ts"
import { ProcessInfo, unknownProcess } from "../../kernel/ProcessInfo.ts"
import {
  type Feedback,
  isProven,
  lastAccepted,
  type LaneBounds,
  type LaneState,
  learned,
  newLane,
  reached,
  restored,
  type SharedLane,
  type StatedLimits,
  statedUses,
  widthAt
} from "../../model/Lane.ts"
import { laneWithoutSource } from "../../model/Source.ts"
import { ShapingStore } from "../../ports/ShapingStore.ts"
import { describeDefect } from "../../shared/Defect.ts"
import { LaneMemories, openedLane, remembered } from "./LaneMemories.ts"
import {
  learnedFrom,
  type LeaseRequest,
  placesOf,
  type Received,
  renewBefore,
  renewed,
  renewMillis,
  unusedMillis
} from "./LeaseRules.ts"
import { ProviderTable } from "./Providers.ts"
import { siteOfLane, Sites } from "./Sites.ts"

/** How long requests of new shares are collected, milliseconds. */
const collectMillis = 20
/** The maximum number of lanes in one statement: lanes to 200 sites, each with its address and its network. */
const perStatement = 600
/**
 * How long a process keeps a place of a lane that it does not use and no other process asks for, milliseconds. With many lanes
 * the time is shorter, since each renewal writes every lane.
 */
const keptMillis = 600_000
const keptOfMany = 60_000
const manyLanes = 1_000
/** How soon a lane that needs more places than it has is renewed again, milliseconds. */
const soonMillis = 500
/** After this time without any process, sending to a lane starts as at first, milliseconds. */
const restMillis = 60_000
/** The pause after a failed renewal, and the interval between checks for leases that end, milliseconds. */
const pauseMillis = 1_000

/** The bounds of lanes for which only rates are known. */
const someRules = new ProviderTable().rules(null)
const someBounds: LaneBounds = { startLimit: someRules.startWidth, maxLimit: someRules.maxWidth }
const noListener: LaneListener = { changed: () => undefined, lost: () => undefined }
/**
 * The maximum number of lanes whose rates, and whose sites, are read at a time; the interval between reads of the sites,
 * milliseconds.
 */
const maxRead = 5_000
const maxSites = 10_000
const sitesEvery = 60_000

const statements = Metric.counter("svc_shaping_lease_statements_total", {
  description: "Statements that leased shares of lanes",
  incremental: true
})

const overlaps = Metric.counter("svc_shaping_overlap_total", {
  description: "Lanes whose lease had ended while the process still had connections open",
  incremental: true
})

/** The share of a lane that a process leases. */
class LeasedShare implements LaneShare {
  readonly lane: string
  bounds: LaneBounds
  listener: LaneListener
  readonly #node: string
  readonly #asks: (share: LeasedShare) => void
  /** Whether anything other than its connections must be written of the lane. */
  readonly isTelling: (now: number) => boolean
  readonly #onStated: (stated: StatedLimits) => void
  readonly takeOpening: (perMinute: number, now: number) => number | null
  /** The lane as last read from the database, with what was learned since. */
  #state: LaneState
  #received: Array<Received> = []
  /**
   * The places that it may use, and the places that it has leased. It has leased more while it closes connections that other
   * processes are to get.
   */
  #places = 0
  #leased = 0
  /** When the lease ends; 0 if there is none. */
  #expiresAt = 0
  #renewedAt = 0
  #wanted = 0
  #needed = 0
  #open = 0
  /** When a place was last needed. */
  #usedAt = -Infinity
  /** The largest number of places needed at once since the last renewal. */
  #peak = 0
  /** The limit of the lane at the last renewal. */
  #width = 0
  /** The lane as this process last wrote it. */
  #row: SharedLane | null = null
  #isRested = false

  constructor(
    node: string,
    lane: string,
    bounds: LaneBounds,
    listener: LaneListener,
    asks: (share: LeasedShare) => void,
    isTelling: (now: number) => boolean,
    onStated: (stated: StatedLimits) => void,
    takeOpening: (perMinute: number, now: number) => number | null
  ) {
    this.#node = node
    this.lane = lane
    this.bounds = bounds
    this.listener = listener
    this.#asks = asks
    this.isTelling = isTelling
    this.#onStated = onStated
    this.takeOpening = takeOpening
    this.#state = newLane(bounds)
  }

  isHeld(now: number): boolean {
    return this.#expiresAt - unusedMillis > now
  }

  places(now: number): number {
    return this.isHeld(now) ? Math.min(this.#places, this.width(now)) : 0
  }

  width(now: number): number {
    return widthAt(this.#state, this.bounds, now)
  }

  isRested(): boolean {
    return this.#isRested
  }

  fullUntil(now: number): number | null {
    return this.#expiresAt === 0 || this.places(now) > 0 ? null : this.#renewedAt + renewMillis
  }

  adopt(bounds: LaneBounds): void {
    this.bounds = bounds
  }

  isProven(now: number): boolean {
    return isProven(this.#state, now)
  }

  get acceptedAt(): number {
    return lastAccepted(this.#state)
  }

  statedUses(now: number): number {
    return statedUses(this.#state, now)
  }

  suspendedUntil(now: number): number | null {
    return this.#state.suspendedUntil > now ? this.#state.suspendedUntil : null
  }

  /** Ends a suspension early. */
  reach(now: number): void {
    this.#state = reached(this.#state)
    this.#received = this.#received.filter(({ feedback }) => feedback._tag !== "Unavailable")
    this.listener.changed(now)
  }

  /** Ends a slow start. */
  restore(now: number): void {
    this.#state = restored(this.#state)
    this.listener.changed(now)
  }

  learn(feedback: Feedback, now: number): void {
    this.#state = learned(this.#state, feedback, this.bounds, now)
    if (feedback._tag === "Stated") this.#onStated(this.#state.stated)
    const last = this.#received.at(-1)
    if (feedback._tag === "Success" && last?.feedback._tag === "Success")
      this.#received[this.#received.length - 1] = { ...last, at: now, count: last.count + 1 }
    else this.#received.push({ feedback, at: now, count: 1 })
  }

  use(needed: number, open: number, now: number): void {
    this.#needed = needed
    this.#open = open
    this.#peak = Math.max(this.#peak, needed)
    if (needed > 0) this.#usedAt = now
    if ((needed > 0 || this.#leased > this.#places) && this.isDue(now)) this.#asks(this)
  }

  /**
   * The lane as this process last wrote it, if no other process used it then. The database still has it in that form unless
   * another process has begun to use it.
   */
  get own(): SharedLane | null {
    return this.#row?.leases.every(({ node }) => node === this.#node) === true ? this.#row : null
  }

  /** Whether the lease must be renewed now, because of its time or because more places may be available. */
  isDue(now: number): boolean {
    const since = now - this.#renewedAt
    if (since >= soonMillis && this.isTelling(now)) return true
    if (now >= this.dueAt || (this.#needed > 0 && this.#wanted === 0)) return true
    // The next renewal gives back the places that other processes are to get.
    if (since >= renewMillis && this.#leased > this.#places && this.#open <= this.#places) return true
    if (since < soonMillis || (this.#expiresAt !== 0 && this.#needed <= this.#places)) return false
    const needed = Math.min(this.#needed, this.bounds.maxLimit)
    return needed > this.#wanted || this.width(now) > this.#width
  }

  /** When the lease must be renewed at the latest, epoch milliseconds. */
  get dueAt(): number {
    return this.#expiresAt === 0 ? this.#renewedAt + renewMillis : this.#expiresAt - renewBefore
  }

  /** Whether the lease is renewed together with others that are due, so that all are renewed at the same time. */
  comesAlong(now: number): boolean {
    return this.isDue(now) || this.dueAt - now <= (this.dueAt - this.#renewedAt) / 2
  }

  /** What the share asks for, and a function that applies the result once the database has it. */
  request(
    now: number,
    kept: number
  ): {
    readonly request: LeaseRequest
    readonly settle: (row: SharedLane, usedAt: number, at: number) => boolean
  } {
    // Twice the number needed, so that a growing number of messages finds places before the next renewal.
    const needed = this.#peak > 0 ? Math.min(2 * this.#peak + 1, this.bounds.maxLimit) : this.#open
    const isIdle = needed === 0 && now - this.#usedAt < kept
    const wanted = isIdle ? 1 : needed
    const received = this.#received
    const given = { node: this.#node, bounds: this.bounds, wanted, open: this.#open, isIdle, received }
    this.#received = []
    this.#peak = this.#needed
    return {
      request: given,
      settle: (row, usedAt, at) => {
        this.#row = row
        this.#isRested = at - usedAt >= restMillis
        this.#state = learnedFrom<LaneState>(row, this.#received, this.bounds)
        this.#renewedAt = at
        this.#width = widthAt(row, this.bounds, at)
        this.#places = placesOf(row, this.#node, this.bounds, at)
        const own = row.leases.find(({ node }) => node === this.#node)
        this.#leased = own?.places ?? 0
        this.#expiresAt = own?.expiresAt ?? 0
        this.#wanted = own?.wanted ?? 0
        return this.#expiresAt !== 0
      }
    }
  }

  /** Restores what a failed request should have written. */
  undo({ received }: LeaseRequest): void {
    this.#received = [...received, ...this.#received]
  }

  /** Whether nothing uses the share. */
  isUnused(): boolean {
    return this.#needed === 0 && this.#open === 0
  }

  /**
   * Ends the use of a lease that was not renewed in time. Returns true if the lease itself has ended while connections are
   * still open: other processes may have its places.
   */
  expire(now: number): boolean {
    if (this.#expiresAt === 0 || this.isHeld(now)) return false
    const isLate = this.#open > 0 && this.#expiresAt <= now
    this.#expiresAt = 0
    this.#places = 0
    this.#leased = 0
    this.listener.lost(now)
    return isLate
  }

  /** Adapts the times of the lease after the clock of the process was set back. */
  moveBack(millis: number): void {
    if (this.#expiresAt !== 0) this.#expiresAt -= millis
    this.#renewedAt -= millis
    this.#usedAt -= millis
  }

  /** Ends the lease with the next renewal. */
  end(): void {
    this.#needed = 0
    this.#open = 0
    this.#peak = 0
    this.#usedAt = -Infinity
  }
}

const make = Effect.gen(function* () {
  const atomically = yield* Atomically
  const store = yield* ShapingStore
  const process = yield* ProcessInfo
  const node = process === unknownProcess ? yield* (yield* Ids).next : process.node.id
  /** The shares that have a lease or ask for one. */
  const active = new Map<string, LeasedShare>()
  const sites = new Sites()
  let sitesReadAt = -Infinity
  const asked = Latch.makeUnsafe(false)
  const used = Latch.makeUnsafe(false)

  const ask = (share: LeasedShare): void => {
    active.set(share.lane, share)
    used.openUnsafe()
    asked.openUnsafe()
  }
  const memories = new LaneMemories((lane) =>
    ask(active.get(lane) ?? makeShare(lane, someBounds, listenerOf(lane)))
  )
  /**
   * The listener of a lane for which only rates are known. A message that waits to open a connection waits in the lane of that
   * connection.
   */
  const listenerOf = (lane: string): LaneListener => {
    const opened = openedLane(lane)
    if (opened === null) return noListener
    return { ...noListener, changed: (now) => active.get(opened)?.listener.changed(now) }
  }
  const makeShare = (lane: string, bounds: LaneBounds, listener: LaneListener) =>
    new LeasedShare(
      node,
      lane,
      bounds,
      listener,
      ask,
      (now) => memories.isAsking(lane, now),
      (stated) => memories.noteStated(lane, stated),
      (perMinute, now) => memories.takeOpening(lane, perMinute, now)
    )

  const renew = Effect.fnUntraced(function* (shares: ReadonlyArray<LeasedShare>) {
    const now = yield* Clock.currentTimeMillis
    const kept = active.size > manyLanes ? keptOfMany : keptMillis
    const asking = shares.map((share) => ({
      share,
      ...share.request(now, kept),
      known: memories.request(share.lane)
    }))
    const blank = ({ share: { bounds, lane } }: (typeof asking)[number]): SharedLane => ({
      ...newLane(bounds),
      lane,
      leases: [],
      pace: null,
      marks: {},
      override: null,
      changedAt: 0
    })
    type Asking = (typeof asking)[number]
    const afterOf = (found: SharedLane, { request, known }: Asking) => ({
      ...remembered(renewed(found, request, now), known, now),
      usedAt: found.changedAt
    })
    const settle = (at: number, one: Asking, { lane: row, turns, usedAt }: ReturnType<typeof afterOf>) => {
      const { known, share } = one
      memories.settle(row, known, turns, at)
      const isLeased = one.settle(row, usedAt, at)
      if (!isLeased && share.isUnused() && !share.isTelling(at)) active.delete(share.lane)
      share.listener.changed(at)
    }
    const orUndo = (all: ReadonlyArray<Asking>) =>
      Effect.onError(() =>
        Effect.sync(() => {
          for (const { request, share } of all) share.undo(request)
        })
      )

    let left = asking
    // Lanes that no other process uses are in the database as this process wrote them, so they need not be read first.
    const own = asking.flatMap(({ share }) => share.own ?? [])
    if (own.length === asking.length) {
      yield* Metric.update(statements, 1)
      const after = own.map((known, index) => afterOf(known, asking[index]!))
      const exchanges = own.map((known, index) => ({ known, next: after[index]!.lane }))
      const names = new Set(yield* orUndo(asking)(store.exchangeLanes(exchanges)))
      const at = yield* Clock.currentTimeMillis
      for (const [index, one] of asking.entries())
        if (names.has(one.share.lane)) settle(at, one, after[index]!)
      left = asking.filter(({ share: { lane } }) => !names.has(lane))
      if (left.length === 0) return
    }
    const rows = yield* atomically(
      Effect.gen(function* () {
        const found = new Map(
          (yield* store.lockLanes(left.map(blank))).map((row) => [row.lane, row] as const)
        )
        const after = left.map((one) => afterOf(found.get(one.share.lane)!, one))
        yield* store.putLanes(after.map(({ lane }) => lane))
        return after
      })
    ).pipe(orUndo(left))
    yield* Metric.update(statements, 2)
    const at = yield* Clock.currentTimeMillis
    for (const [index, one] of left.entries()) settle(at, one, rows[index]!)
  })

  /** The latest time seen on the clock. */
  let seenAt = -Infinity
  /**
   * The current time. If the clock was set back, all stored times are moved back too. So leases end and are renewed after the
   * same real time, because other processes may have their places then, and nothing waits until the clock reaches its former time
   * again.
   */
  const currentTime = Effect.map(Clock.currentTimeMillis, (now) => {
    if (now < seenAt) {
      // The clock was last read up to a second ago, so it may have been set back by up to a second more.
      const millis = seenAt - now + pauseMillis
      for (const share of active.values()) share.moveBack(millis)
      memories.moveBack(millis)
    }
    seenAt = now
    return now
  })

  const renewDue = Effect.gen(function* () {
    const now = yield* currentTime
    const all = [...active.values()]
    if (!all.some((share) => share.isDue(now))) return
    const due = all.filter((share) => share.comesAlong(now))
    for (let from = 0; from < due.length; from += perStatement)
      yield* renew(due.slice(from, from + perStatement))
  })

  const untilDue = Effect.map(Clock.currentTimeMillis, (now) => {
    let next = now + renewMillis
    for (const { dueAt } of active.values()) next = Math.min(next, dueAt)
    return Math.max(0, next - now)
  })

  const renewals = Effect.forever(
    Effect.gen(function* () {
      if (active.size === 0) yield* asked.await
      else
        yield* Effect.raceFirst(
          asked.await,
          Effect.flatMap(untilDue, (millis) => Effect.sleep(millis))
        )
      yield* Effect.sleep(collectMillis)
      asked.closeUnsafe()
      yield* Effect.catchCause(renewDue, (cause) =>
        Effect.andThen(
          Effect.annotateLogs(Effect.logWarning("lanes were not leased"), describeDefect(cause)),
          Effect.sleep(pauseMillis)
        )
      )
    })
  )

  /** This loop never waits for the database. */
  const expiries = Effect.forever(
    Effect.gen(function* () {
      if (active.size === 0) {
        used.closeUnsafe()
        yield* used.await
      }
      yield* Effect.sleep(pauseMillis)
      const now = yield* currentTime
      let late = 0
      for (const share of active.values()) if (share.expire(now)) late++
      if (late > 0) yield* Metric.update(overlaps, late)
    })
  )

  const release = Effect.suspend(() => {
    const shares = [...active.values()]
    for (const share of shares) share.end()
    return shares.length === 0 ? Effect.void : renew(shares)
  })

  yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(release, pauseMillis)))
  yield* Metric.update(overlaps, 0)
  yield* Effect.forkScoped(renewals)
  yield* Effect.forkScoped(expiries)

  const memory: LaneMemory = {
    paceOf: (lane) => memories.paceOf(lane),
    setPace: (lane, pace, at) => memories.setPace(lane, pace, at),
    take: (lane, now) => memories.take(lane, now),
    marksOf: (lane, kind) => memories.marksOf(lane, kind),
    setMarks: (lane, kind, times) => memories.setMarks(lane, kind, times),
    statedOf: (lane, now) => memories.statedOf(lane, now),
    isEncrypted: (lane, now) => memories.isEncrypted(lane, now),
    overrideOf: (lane, now) => memories.overrideOf(lane, now),
    unreached: (lane, now) => {
      const share = active.get(lane)
      const until = share?.suspendedUntil(now) ?? null
      return share === undefined || until === null ? null : { until, isProven: share.isProven(now) }
    },
    acceptedAt: (lane) => active.get(lane)?.acceptedAt ?? 0,
    reach: (lane, now) => active.get(lane)?.reach(now),
    restore: (lane, now) => {
      for (const share of active.values())
        if (share.lane === lane || laneWithoutSource(share.lane) === lane) share.restore(now)
    },
    sites,
    refresh: Effect.gen(function* () {
      const rows = yield* store.notedLanes(maxRead)
      for (const row of rows) memories.learn(row)
      memories.override(rows)
      const now = yield* Clock.currentTimeMillis
      if (Math.abs(now - sitesReadAt) < sitesEvery) return
      for (const { changedAt, lane } of yield* store.siteLanes(maxSites)) {
        const site = siteOfLane(lane)
        if (site !== null) sites.learn(site, changedAt, now)
      }
      sitesReadAt = now
    })
  }

  return {
    memory,
    share: (lane, bounds, listener) => {
      const known = active.get(lane)
      if (known !== undefined) {
        known.adopt(bounds)
        known.listener = listener
        return known
      }
      return makeShare(lane, bounds, listener)
    }
  } satisfies LaneSharesShape
})

/** Provides transports with shares of the lanes that all processes of the installation have in common. */
export const layer = Layer.effect(LaneShares, make).pipe(Layer.provide(Ids.layer))
