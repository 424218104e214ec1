/**
 * The paces of lanes: rates lower than what the connections would allow, after a server asked for less mail and after a
 * suspension. Processes that share lanes also share their paces. A turn is the permission to send one message at a pace, a
 * token of a token bucket.
 *
 * @module
 */
import type { LaneMemory } from "../../kernel/LaneShares.ts"
import { type Pace, rateAt } from "../../model/Lane.ts"

const minute = 60_000

/** The rate at which sending resumes after a suspension, messages a minute. It is doubled each minute. */
const resumedRate = 6
/**
 * The factor of that growth, and the number of minutes that it lasts. Only minutes in which all messages were accepted count;
 * it lasts an hour at most.
 */
const resumedGrowth = 2
const resumedMinutes = 10
const resumedMost = 60
/** For how many minutes a lane is slowed down after a server asked for it, if the rule does not say. */
const slowMinutes = 15
/** The minimum interval between two reductions of the rate, milliseconds. */
const lowerEvery = 10_000
/** The longest wait that a server can request for all mail of its lane, milliseconds. */
const maxWait = 60 * minute
const maxLanes = 10_000

/** The pace of a lane after a suspension that ends at `at`. */
export const resumePace = (at: number): Pace => ({
  perMinute: resumedRate,
  growth: resumedGrowth,
  since: at,
  until: at + resumedMinutes * minute,
  notBefore: at
})

/**
 * The pace after a message was not accepted for a reason that concerns its lane. After a suspension, the rate does not grow at
 * the end of a minute with such messages, however many there were.
 */
export const heldBack = (pace: Pace, now: number): Pace => {
  const from = pace.growsFrom ?? pace.since
  if (pace.growth !== resumedGrowth || pace.until <= now || from > now) return pace
  return {
    ...pace,
    perMinute: rateAt(pace, now),
    growsFrom: from + (Math.floor((now - from) / minute) + 1) * minute,
    until: Math.min(pace.until + minute, pace.since + resumedMost * minute)
  }
}

/** The messages that may be sent to a lane now (`tokens`), and the time at which this was computed. */
interface Turns {
  tokens: number
  tokensAt: number
}

/** The number of messages that may be sent now. */
const tokensOf = (pace: Pace & Turns, now: number): number => {
  const rate = rateAt(pace, now)
  return Math.min(Math.max(1, rate / 60), pace.tokens + (rate * Math.max(0, now - pace.tokensAt)) / minute)
}

/** The number of messages that a lane accepted, in two windows of ten seconds. */
interface Accepted {
  window: number
  now: number
  before: number
}

/** The paces of lanes. All times are epoch milliseconds. */
export class Paces {
  readonly #shared: LaneMemory | null
  readonly #paces = new Map<string, Pace & Turns>()
  readonly #accepted = new Map<string, Accepted>()

  /** @param shared the state that processes share; null if there is only one process */
  constructor(shared: LaneMemory | null = null) {
    this.#shared = shared
  }

  /** The pace of a lane; null if it has none. */
  of(lane: string): Pace | null {
    return this.#shared === null ? (this.#paces.get(lane) ?? null) : this.#shared.paceOf(lane)
  }

  /** Counts a message that a lane accepted. */
  accepted(lane: string, now: number): void {
    const window = Math.floor(now / lowerEvery)
    const found = this.#accepted.get(lane)
    if (found?.window === window) found.now++
    else keep(this.#accepted, lane, { window, now: 1, before: found?.window === window - 1 ? found.now : 0 })
  }

  /** Records a message that a lane did not accept, for a reason that concerns the lane. */
  deferred(lane: string, now: number): void {
    const pace = this.of(lane)
    if (pace === null) return
    const after = heldBack(pace, now)
    // This time is later than those set in earlier minutes, and earlier than that of any other pace.
    if (after !== pace) this.#set(lane, after, pace.since + 2 + Math.floor((now - pace.since) / minute))
  }

  /**
   * Slows a lane down after a server asked for it: to a rate (messages a minute) or, without one, to half of what the lane
   * accepted within the last ten seconds.
   *
   * @param wait the wait that the server stated, milliseconds; at most an hour counts
   */
  slow(lane: string, perMinute: number | null, minutes: number | null, wait: number, now: number): void {
    const pace = this.of(lane)
    const notBefore = now + Math.min(wait, maxWait)
    if (pace !== null && now - pace.since < lowerEvery) {
      if (notBefore > pace.notBefore) this.#set(lane, { ...pace, notBefore }, pace.since + 1)
      return
    }
    const asked = perMinute ?? Math.max(1, ((60_000 / lowerEvery) * this.#lately(lane, now)) / 2)
    const current = pace === null || pace.until <= now ? Infinity : rateAt(pace, now)
    const millis = Math.max((minutes ?? slowMinutes) * minute, notBefore - now)
    this.#set(
      lane,
      { perMinute: Math.min(asked, current), growth: 1.5, since: now, until: now + millis, notBefore },
      now
    )
  }

  /** How many messages a lane accepted within about ten seconds. */
  #lately(lane: string, now: number): number {
    const found = this.#accepted.get(lane)
    const age = found === undefined ? Infinity : Math.floor(now / lowerEvery) - found.window
    return age === 0 ? Math.max(found!.before, found!.now) : age === 1 ? found!.now : 0
  }

  /** Resumes slowly, after a suspension that ended at `at`. */
  resume(lane: string, at: number, now: number): void {
    const pace = this.of(lane)
    if (at + resumedMinutes * minute > now && (pace === null || pace.since < at))
      this.#set(lane, resumePace(at), at)
  }

  /** Removes the pace of a lane from `at` on. */
  clear(lane: string, at: number): void {
    this.#paces.delete(lane)
    this.#shared?.setPace(lane, null, at)
  }

  /** Takes a turn for a message. Without one, returns when the next message may be sent. */
  take(lane: string, now: number): number | null {
    if (this.#shared !== null) return this.#shared.take(lane, now)
    const pace = this.#paces.get(lane)
    if (pace === undefined) return null
    if (pace.until <= now) {
      this.#paces.delete(lane)
      return null
    }
    if (pace.notBefore > now) return pace.notBefore
    const rate = rateAt(pace, now)
    pace.tokens = tokensOf(pace, now)
    pace.tokensAt = now
    if (pace.tokens >= 1) {
      pace.tokens--
      return null
    }
    return now + Math.ceil(((1 - pace.tokens) * minute) / rate)
  }

  #set(lane: string, pace: Pace, at: number): void {
    if (this.#shared !== null) return this.#shared.setPace(lane, pace, at)
    const before = this.#paces.get(lane)
    // A pace that follows another begins with the fraction of a turn that the previous pace has accumulated.
    const tokens = before === undefined || before.until <= pace.since ? 1 : Math.min(1, tokensOf(before, at))
    keep(this.#paces, lane, { ...pace, tokens, tokensAt: Math.max(at, before?.tokensAt ?? at) })
  }
}

/** Sets an entry of a bounded map. If the map is full, the oldest entry is dropped. */
const keep = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
  map.delete(key)
  map.set(key, value)
  if (map.size > maxLanes) map.delete(map.keys().next().value!)
}
