/**
 * The way to one destination: how many messages are on it at once, when it rests, and the connections that are kept
 * open on it.
 *
 * @module
 */
import { Effect } from "effect"
import type { Connection } from "./Connection.ts"

/** What a lane may do. */
export interface LaneOptions {
  /** Messages at once, at first. */
  readonly startWidth: number
  /** Messages at once, at most. */
  readonly maxWidth: number
  /** How long an open connection is kept without use, milliseconds. */
  readonly idleMillis: number
  /** Messages for which a connection is used. */
  readonly maxUses: number
  /** Whether messages wait for their turn however long it takes: where all go the same way, nobody is held up by it. */
  readonly patient?: boolean
}

/** What a message learns that asks for its turn. */
export type Slot =
  | { readonly _tag: "Go" }
  /** As much as may be is under way. */
  | { readonly _tag: "Full" }
  /** The destination wants to be left alone until then, epoch milliseconds. */
  | { readonly _tag: "Suspended"; readonly until: number }

/** How a turn went for the destination as a whole, whatever became of the message. */
export type Feedback =
  /** It takes mail. */
  | { readonly _tag: "Success" }
  /** It put this one off. */
  | { readonly _tag: "Deferral" }
  /** It wants to be left alone, or cannot be reached; for so long when it said so, milliseconds. */
  | { readonly _tag: "Unavailable"; readonly wait: number | null }

/** A place in the queue for a turn. */
export interface SlotRequest {
  /** Waits for the turn. */
  readonly turn: Effect.Effect<Slot>
  /** Leaves the queue instead, and gives back what was given meanwhile. */
  readonly withdraw: () => void
}

/** How long a message waits for its turn before it is told that the lane is full, milliseconds. */
const patienceMillis = 2000

/** Messages that wait for their turn, for each that is under way. */
const waitersPerPlace = 10

const firstRest = 5000
const longestRest = 15 * 60_000

/** When a message that found the lane full is brought again, milliseconds. */
export const fullWait = 1000

/** A lane. All times it is given and answers are the service's, epoch milliseconds. */
export class Lane {
  readonly #options: LaneOptions
  readonly #idle: Array<{ readonly connection: Connection; readonly timer: NodeJS.Timeout }> = []
  readonly #waiting = new Set<(turn: Slot) => void>()
  #width: number
  #active = 0
  #successes = 0
  #refusals = 0
  #suspendedUntil = 0

  constructor(options: LaneOptions) {
    this.#options = options
    this.#width = options.startWidth
  }

  /** Whether nothing is known of it that is worth keeping. */
  isForgettable(now: number): boolean {
    return (
      this.#active === 0 && this.#waiting.size === 0 && this.#idle.length === 0 && this.#suspendedUntil <= now
    )
  }

  /** How many may be on their way at once, by what the destination showed so far. */
  get width(): number {
    return this.#width
  }

  /** Until when it rests; null when it does not. */
  suspendedUntil(now: number): number | null {
    return this.#suspendedUntil > now ? this.#suspendedUntil : null
  }

  /** Whether another message would not find its turn soon, with so many coming before it. */
  isFull(ahead = 0): boolean {
    if (this.#options.patient === true) return false
    const free = Math.max(0, this.#width - this.#active)
    return this.#waiting.size + Math.max(0, ahead - free) >= this.#width * waitersPerPlace
  }

  /** Asks for a turn, and waits a short while for it. A turn that is given is to be given back with `leave`. */
  ask(now: number): SlotRequest {
    let turn: Slot | null = null
    let listener: ((turn: Slot) => void) | null = null
    const settle = (given: Slot) => {
      clearTimeout(timer)
      this.#waiting.delete(settle)
      turn = given
      listener?.(given)
    }
    let timer: NodeJS.Timeout | undefined = undefined
    if (this.#suspendedUntil > now) settle({ _tag: "Suspended", until: this.#suspendedUntil })
    else if (this.#active < this.#width) {
      this.#active++
      settle({ _tag: "Go" })
    } else if (this.isFull()) settle({ _tag: "Full" })
    else {
      this.#waiting.add(settle)
      if (this.#options.patient !== true) timer = setTimeout(() => settle({ _tag: "Full" }), patienceMillis)
    }
    return {
      turn: Effect.callback<Slot>((resume) => {
        listener = (given) => resume(Effect.succeed(given))
        if (turn !== null) listener(turn)
      }),
      withdraw: () => {
        clearTimeout(timer)
        this.#waiting.delete(settle)
        if (turn?._tag === "Go") this.#release()
      }
    }
  }

  /** Gives a turn back, with what was seen of the destination; null when nothing was. */
  leave(feedback: Feedback | null, now: number): void {
    if (feedback !== null) this.#learn(feedback, now)
    this.#release()
  }

  #release(): void {
    this.#active--
    for (const answer of this.#waiting) {
      if (this.#active >= this.#width) return
      this.#active++
      answer({ _tag: "Go" })
    }
  }

  #learn(feedback: Feedback, now: number): void {
    switch (feedback._tag) {
      case "Success":
        this.#refusals = 0
        this.#successes++
        if (this.#successes >= this.#width) {
          this.#successes = 0
          this.#width = Math.min(this.#width + 1, this.#options.maxWidth)
        }
        return
      case "Deferral":
        this.#successes = 0
        this.#width = Math.max(this.#width - 1, 1)
        return
      case "Unavailable": {
        this.#successes = 0
        this.#width = Math.max(this.#width >> 1, 1)
        // Those that were under way with it learn the same; they say nothing new.
        if (this.#suspendedUntil > now && feedback.wait === null) return
        this.#refusals++
        const own = Math.min(firstRest * 2 ** (this.#refusals - 1), longestRest)
        this.#suspendedUntil = Math.max(this.#suspendedUntil, now + (feedback.wait ?? own))
        const until = this.#suspendedUntil
        for (const answer of this.#waiting) answer({ _tag: "Suspended", until })
      }
    }
  }

  /** An open connection that nothing uses; null for none. It is the caller's then. */
  take(): Connection | null {
    while (true) {
      // The last one used is the least likely to have been closed since.
      const kept = this.#idle.pop()
      if (kept === undefined) return null
      clearTimeout(kept.timer)
      if (kept.connection.isOpen()) return kept.connection
    }
  }

  /** Keeps a connection for the next message, for a while. */
  keep(connection: Connection): void {
    if (!connection.isOpen()) return
    if (connection.uses() >= this.#options.maxUses || this.#idle.length >= this.#width)
      return connection.quit()
    const kept = { connection, timer: setTimeout(() => this.#drop(connection), this.#options.idleMillis) }
    kept.timer.unref()
    this.#idle.push(kept)
  }

  #drop(connection: Connection): void {
    const at = this.#idle.findIndex((kept) => kept.connection === connection)
    if (at !== -1) this.#idle.splice(at, 1)
    connection.quit()
  }

  /** Says goodbye on all connections that nothing uses. */
  close(): void {
    for (const { connection, timer } of this.#idle.splice(0)) {
      clearTimeout(timer)
      connection.quit()
    }
  }
}
