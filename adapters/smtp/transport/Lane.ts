/**
 * A lane: one destination, with its concurrency limit, its suspension, and its open connections.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { Outcome } from "../../../core/model/Message.ts"
import { Counter } from "../../../core/shared/Counter.ts"
import type { Connection, Peer } from "./Connection.ts"
import { type Consequence, type Feedback, noConversation } from "./TransactionResult.ts"

/** How a lane is used. */
export interface LaneOptions {
  /** The concurrency limit at first. */
  readonly startLimit: number
  /** The limit while the destination has accepted no message within a day; none by default. */
  readonly unprovenLimit?: number
  /** The highest concurrency limit. */
  readonly maxLimit: number
  /** How long an open connection is kept without use, milliseconds. */
  readonly idleMillis: number
  /** Messages for which a connection is used. */
  readonly maxUses: number
  /** Whether messages wait for a slot without a timeout: where all go to one relay, none holds up others. */
  readonly waitsForSlot?: boolean
}

/** The result of a request for a slot. */
export type Slot =
  | { readonly _tag: "Granted" }
  /** The concurrency limit is reached. */
  | { readonly _tag: "Full" }
  /** The lane is suspended until then, epoch milliseconds. */
  | { readonly _tag: "Suspended"; readonly until: number }

/** How long a message waits for a slot, milliseconds. */
const slotTimeout = 2000

/** Messages that wait for a slot, for each slot. */
const waitingPerSlot = 10

const firstSuspension = 5000
const longestSuspension = 15 * 60_000

/** When a message that found no slot is sent again, milliseconds. */
export const fullWait = 1000

/** How long an accepted message proves that a destination takes mail, milliseconds. */
const provenFor = 86_400_000

/** A suspension up to this long makes a message Busy, which is no attempt; a longer one makes it Deferred. */
const shortSuspension = 60_000

/** A request for one slot of a lane's concurrency limit. */
export class SlotRequest {
  /** Whose message it is for: accounts share a lane's slots. */
  readonly accountId: string
  /** Gives back what was counted for a granted slot. */
  giveBack: (() => void) | null = null
  #result: Slot | null = null
  #timer: NodeJS.Timeout | undefined
  #listener: ((slot: Slot) => void) | null = null

  constructor(accountId: string) {
    this.accountId = accountId
  }

  /** The result; null while the request waits. */
  get result(): Slot | null {
    return this.#result
  }

  /** Waits for the result. */
  readonly slot: Effect.Effect<Slot> = Effect.callback((resume) => {
    this.#listener = (slot) => resume(Effect.succeed(slot))
    if (this.#result !== null) this.#listener(this.#result)
  })

  /** Ends the request. */
  resolve(slot: Slot): void {
    this.cancelTimeout()
    this.#result = slot
    this.#listener?.(slot)
  }

  /** Calls a function unless the request ends before. */
  setTimeout(run: () => void, millis: number): void {
    this.#timer = setTimeout(run, millis)
  }

  cancelTimeout(): void {
    clearTimeout(this.#timer)
  }
}

/** A lane. All its times are those of the service's clock, epoch milliseconds. */
export class Lane {
  readonly #options: LaneOptions
  readonly #idle: Array<{ readonly connection: Connection; readonly timer: NodeJS.Timeout }> = []
  readonly #waiting = new Set<SlotRequest>()
  readonly #active = new Counter()
  #limit: number
  #successes = 0
  #suspensions = 0
  #suspendedUntil = 0
  #provenUntil = 0

  constructor(options: LaneOptions) {
    this.#options = options
    this.#limit = options.startLimit
  }

  /** The concurrency limit, as the destination's feedback has made it so far. */
  limit(now: number): number {
    return this.isProven(now) ? this.#limit : Math.min(this.#limit, this.#options.unprovenLimit ?? Infinity)
  }

  /** Whether the destination accepted a message within the last day. */
  isProven(now: number): boolean {
    return this.#provenUntil > now
  }

  /** Whether the lane holds nothing that is worth keeping. */
  isUnused(now: number): boolean {
    return (
      this.#active.total === 0 &&
      this.#waiting.size === 0 &&
      this.#idle.length === 0 &&
      this.#suspendedUntil <= now
    )
  }

  /** Until when the lane is suspended; null when it is not. */
  suspendedUntil(now: number): number | null {
    return this.#suspendedUntil > now ? this.#suspendedUntil : null
  }

  /**
   * Whether another message of an account would find no slot soon, with `ahead` others before it. An account that has
   * none in the lane may always wait for one.
   */
  isFull(now: number, accountId: string, ahead = 0): boolean {
    if (this.#options.waitsForSlot === true) return false
    const limit = this.limit(now)
    const free = Math.max(0, limit - this.#active.total)
    if (this.#waiting.size + Math.max(0, ahead - free) < limit * waitingPerSlot) return false
    if (this.#active.count(accountId) > 0) return true
    for (const request of this.#waiting) if (request.accountId === accountId) return true
    return false
  }

  /** Until when the lane takes no more messages of an account, with `ahead` others before; null when it takes them. */
  busyUntil(now: number, ahead: number, accountId: string): number | null {
    const until = this.suspendedUntil(now)
    if (until !== null) return until - now <= shortSuspension ? until : null
    return this.isFull(now, accountId, ahead) ? now + fullWait : null
  }

  /**
   * Runs a send in a slot, once there is one; Busy or Deferred when there is none soon. The send may give the slot back
   * before it ends, by the function it is given.
   */
  place(
    accountId: string,
    send: (giveBack: () => void) => Effect.Effect<Consequence>
  ): Effect.Effect<Outcome> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        const now = yield* Clock.currentTimeMillis
        const request = this.request(now, accountId)
        const slot = yield* Effect.onInterrupt(restore(request.slot), () =>
          Effect.flatMap(Clock.currentTimeMillis, (at) => Effect.sync(() => this.withdraw(request, at)))
        )
        if (slot._tag === "Full") return { _tag: "Busy", at: now + fullWait }
        if (slot._tag === "Suspended") return suspendedOutcome(slot.until, now)
        const clock = yield* Clock.Clock
        const exit = yield* Effect.exit(
          restore(
            Effect.suspend(() => send(() => this.release(request, null, clock.currentTimeMillisUnsafe())))
          )
        )
        this.release(
          request,
          exit._tag === "Success" ? exit.value.feedback : null,
          yield* Clock.currentTimeMillis
        )
        return (yield* exit).outcome
      })
    )
  }

  /** Requests a slot. A slot that was granted is given back by `release`. */
  request(now: number, accountId: string): SlotRequest {
    const request = new SlotRequest(accountId)
    if (this.#suspendedUntil > now) request.resolve({ _tag: "Suspended", until: this.#suspendedUntil })
    else if (this.#active.total < this.limit(now)) this.#grant(request)
    else if (this.isFull(now, accountId)) request.resolve({ _tag: "Full" })
    else {
      this.#waiting.add(request)
      if (this.#options.waitsForSlot !== true)
        request.setTimeout(() => this.#resolve(request, { _tag: "Full" }), slotTimeout)
    }
    return request
  }

  /** Ends a request whose slot will not be used, and gives back the slot if it was granted. */
  withdraw(request: SlotRequest, now: number): void {
    request.cancelTimeout()
    this.#waiting.delete(request)
    this.release(request, null, now)
  }

  /** Gives a granted slot back, unless that was done before, and learns from the destination's feedback; null for none. */
  release(request: SlotRequest, feedback: Feedback | null, now: number): void {
    if (feedback !== null) this.#learn(feedback, now)
    request.giveBack?.()
    request.giveBack = null
    while (this.#waiting.size > 0 && this.#active.total < this.limit(now)) this.#grant(this.#next())
  }

  /** The oldest waiting request of an account that has the fewest slots. */
  #next(): SlotRequest {
    let next: SlotRequest | null = null
    for (const request of this.#waiting)
      if (next === null || this.#active.count(request.accountId) < this.#active.count(next.accountId))
        next = request
    return next!
  }

  #grant(request: SlotRequest): void {
    request.giveBack = this.#active.add(request.accountId)
    this.#resolve(request, { _tag: "Granted" })
  }

  #resolve(request: SlotRequest, slot: Slot): void {
    this.#waiting.delete(request)
    request.resolve(slot)
  }

  #learn(feedback: Feedback, now: number): void {
    switch (feedback._tag) {
      case "Success":
        this.#suspensions = 0
        this.#provenUntil = now + provenFor
        this.#successes++
        if (this.#successes >= this.#limit) {
          this.#successes = 0
          this.#limit = Math.min(this.#limit + 1, this.#options.maxLimit)
        }
        return
      case "Deferral":
        this.#successes = 0
        this.#limit = Math.max(this.#limit - 1, 1)
        return
      case "Blocked":
        this.#successes = 0
        this.#limit = 1
        return
      case "Unavailable": {
        this.#successes = 0
        this.#limit = Math.max(this.#limit >> 1, 1)
        // Sends that were in progress at the same time give no new information.
        if (this.#suspendedUntil > now && feedback.wait === null) return
        this.#suspensions++
        const own = Math.min(firstSuspension * 2 ** (this.#suspensions - 1), longestSuspension)
        this.#suspendedUntil = Math.max(this.#suspendedUntil, now + (feedback.wait ?? own))
        const until = this.#suspendedUntil
        for (const request of this.#waiting) this.#resolve(request, { _tag: "Suspended", until })
      }
    }
  }

  /**
   * Takes an open connection to one of those servers, by name, address and terms, out of those that are kept; null for none.
   * Domains with the same addresses share a lane, but each names its servers itself.
   */
  takeConnection(peers: ReadonlyArray<Pick<Peer, "host" | "address" | "security">>): Connection | null {
    while (true) {
      // The last one used is the least likely to have been closed since.
      const index = this.#idle.findLastIndex(({ connection: { peer } }) =>
        peers.some(
          ({ address, host, security }) =>
            address === peer.address && host === peer.host && security?.key === peer.security?.key
        )
      )
      if (index === -1) return null
      const { connection } = this.#remove(index)
      if (connection.isOpen()) return connection
    }
  }

  /** Keeps a connection for the next message, for a while. */
  keepConnection(connection: Connection): void {
    if (!connection.isOpen()) return
    if (connection.uses() >= this.#options.maxUses || this.#idle.length >= this.#limit)
      return connection.quit()
    const drop = () => {
      const index = this.#idle.findIndex((kept) => kept.connection === connection)
      if (index !== -1) this.#remove(index)
      connection.quit()
    }
    const timer = setTimeout(drop, this.#options.idleMillis)
    timer.unref()
    if (connection.slot !== null) connection.slot.closeIdle = drop
    this.#idle.push({ connection, timer })
  }

  #remove(index: number): { readonly connection: Connection } {
    const [kept] = this.#idle.splice(index, 1)
    clearTimeout(kept!.timer)
    if (kept!.connection.slot !== null) kept!.connection.slot.closeIdle = null
    return kept!
  }

  /** Closes all connections that are kept. */
  close(): void {
    while (this.#idle.length > 0) this.#remove(0).connection.quit()
  }
}

/** A long suspension defers a message as the destination itself would have. */
const suspendedOutcome = (until: number, now: number): Outcome =>
  until - now <= shortSuspension
    ? { _tag: "Busy", at: until }
    : { _tag: "Deferred", retryAfter: until - now, conversation: noConversation("destination_rests") }
