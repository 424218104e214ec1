/**
 * A lane: one destination, with its concurrency limit, its suspension, and its open connections.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { Outcome } from "../../../core/model/Message.ts"
import type { Connection } from "./Connection.ts"
import { type Consequence, type Feedback, noConversation } from "./TransactionResult.ts"

/** How a lane is used. */
export interface LaneOptions {
  /** The concurrency limit at first. */
  readonly startLimit: number
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

/** When a message that found the lane full is sent again, milliseconds. */
const fullWait = 1000

/** A suspension up to this long makes a message Busy, which is no attempt; a longer one makes it Deferred. */
const shortSuspension = 60_000

/** A request for one slot of a lane's concurrency limit. */
export class SlotRequest {
  #result: Slot | null = null
  #timer: NodeJS.Timeout | undefined
  #listener: ((slot: Slot) => void) | null = null

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
  #limit: number
  #active = 0
  #successes = 0
  #suspensions = 0
  #suspendedUntil = 0

  constructor(options: LaneOptions) {
    this.#options = options
    this.#limit = options.startLimit
  }

  /** The concurrency limit, as the destination's feedback has made it so far. */
  get limit(): number {
    return this.#limit
  }

  /** Whether the lane holds nothing that is worth keeping. */
  isUnused(now: number): boolean {
    return (
      this.#active === 0 && this.#waiting.size === 0 && this.#idle.length === 0 && this.#suspendedUntil <= now
    )
  }

  /** Until when the lane is suspended; null when it is not. */
  suspendedUntil(now: number): number | null {
    return this.#suspendedUntil > now ? this.#suspendedUntil : null
  }

  /** Whether another message would find no slot soon, with `ahead` others before it. */
  isFull(ahead = 0): boolean {
    if (this.#options.waitsForSlot === true) return false
    const free = Math.max(0, this.#limit - this.#active)
    return this.#waiting.size + Math.max(0, ahead - free) >= this.#limit * waitingPerSlot
  }

  /** Until when the lane takes no more messages, with `ahead` others before; null when it takes them. */
  busyUntil(now: number, ahead: number): number | null {
    const until = this.suspendedUntil(now)
    if (until !== null) return until - now <= shortSuspension ? until : null
    return this.isFull(ahead) ? now + fullWait : null
  }

  /** Runs a send in a slot, once there is one; Busy or Deferred when there is none soon. */
  place(send: Effect.Effect<Consequence>): Effect.Effect<Outcome> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        const now = yield* Clock.currentTimeMillis
        const request = this.request(now)
        const slot = yield* Effect.onInterrupt(restore(request.slot), () =>
          Effect.sync(() => this.withdraw(request))
        )
        if (slot._tag === "Full") return { _tag: "Busy", at: now + fullWait }
        if (slot._tag === "Suspended") return suspendedOutcome(slot.until, now)
        const exit = yield* Effect.exit(restore(send))
        this.release(exit._tag === "Success" ? exit.value.feedback : null, yield* Clock.currentTimeMillis)
        return (yield* exit).outcome
      })
    )
  }

  /** Requests a slot. A slot that was granted is given back by `release`. */
  request(now: number): SlotRequest {
    const request = new SlotRequest()
    if (this.#suspendedUntil > now) request.resolve({ _tag: "Suspended", until: this.#suspendedUntil })
    else if (this.#active < this.#limit) {
      this.#active++
      request.resolve({ _tag: "Granted" })
    } else if (this.isFull()) request.resolve({ _tag: "Full" })
    else {
      this.#waiting.add(request)
      if (this.#options.waitsForSlot !== true)
        request.setTimeout(() => this.#resolve(request, { _tag: "Full" }), slotTimeout)
    }
    return request
  }

  /** Ends a request whose slot will not be used, and gives back the slot if it was granted. */
  withdraw(request: SlotRequest): void {
    request.cancelTimeout()
    this.#waiting.delete(request)
    if (request.result?._tag === "Granted") this.#release()
  }

  /** Gives a slot back, with the destination's feedback; null for none. */
  release(feedback: Feedback | null, now: number): void {
    if (feedback !== null) this.#learn(feedback, now)
    this.#release()
  }

  #release(): void {
    this.#active--
    for (const request of this.#waiting) {
      if (this.#active >= this.#limit) return
      this.#active++
      this.#resolve(request, { _tag: "Granted" })
    }
  }

  #resolve(request: SlotRequest, slot: Slot): void {
    this.#waiting.delete(request)
    request.resolve(slot)
  }

  #learn(feedback: Feedback, now: number): void {
    switch (feedback._tag) {
      case "Success":
        this.#suspensions = 0
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

  /** Takes an open connection out of those that are kept; null for none. */
  takeConnection(): Connection | null {
    while (true) {
      // The last one used is the least likely to have been closed since.
      const kept = this.#idle.pop()
      if (kept === undefined) return null
      clearTimeout(kept.timer)
      if (kept.connection.isOpen()) return kept.connection
    }
  }

  /** Keeps a connection for the next message, for a while. */
  keepConnection(connection: Connection): void {
    if (!connection.isOpen()) return
    if (connection.uses() >= this.#options.maxUses || this.#idle.length >= this.#limit)
      return connection.quit()
    const kept = { connection, timer: setTimeout(() => this.#drop(connection), this.#options.idleMillis) }
    kept.timer.unref()
    this.#idle.push(kept)
  }

  #drop(connection: Connection): void {
    const index = this.#idle.findIndex((kept) => kept.connection === connection)
    if (index !== -1) this.#idle.splice(index, 1)
    connection.quit()
  }

  /** Closes all connections that are kept. */
  close(): void {
    for (const { connection, timer } of this.#idle.splice(0)) {
      clearTimeout(timer)
      connection.quit()
    }
  }
}

/** A long suspension defers a message as the destination itself would have. */
const suspendedOutcome = (until: number, now: number): Outcome =>
  until - now <= shortSuspension
    ? { _tag: "Busy", at: until }
    : { _tag: "Deferred", retryAfter: until - now, conversation: noConversation("destination_rests") }
