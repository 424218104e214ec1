/**
 * How fast lanes are sent to, where it is slower than they could be: after a server asked for less, and after a suspension.
 * Processes that share lanes keep a pace together.
 *
 * @module
 */
import type { LaneMemory } from "../../kernel/LaneShares.ts"
import { type Pace, rateAt } from "../../model/Lane.ts"

const minute = 60_000

/** The rate at which a lane is sent to after a suspension, messages a minute; doubled each minute. */
const resumedRate = 6
/** By how much, and for how many minutes that is: those in which all messages were accepted, of an hour at most. */
const resumedGrowth = 2
const resumedMinutes = 10
const resumedMost = 60
/** How long a lane is sent to more slowly after a server asked for it, minutes, where its rule does not say. */
const slowMinutes = 15
/** How often the rate is lowered at most, milliseconds. */
const lowerEvery = 10_000
/** The longest wait that a server can ask for all mail of its lane, milliseconds. */
const maxWait = 60 * minute
const maxLanes = 10_000

/** The pace of a lane after a suspension that ends at a time. */
export const resumePace = (at: number): Pace => ({
  perMinute: resumedRate,
  growth: resumedGrowth,
  since: at,
  until: at + resumedMinutes * minute,
  notBefore: at
})

/**
 * The pace after a message was not accepted, for a reason that concerns its lane: after a suspension it does not grow at the end of
 * such a minute, however many there were in it.
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

/** The messages that may be sent to a lane now, and since when. */
interface Turns {
  tokens: number
  tokensAt: number
}

/** The messages that may be sent at a time. */
const tokensOf = (pace: Pace & Turns, now: number): number => {
  const rate = rateAt(pace, now)
  return Math.min(Math.max(1, rate / 60), pace.tokens + (rate * Math.max(0, now - pace.tokensAt)) / minute)
}

/** The messages a lane accepted, in two windows of ten seconds. */
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

  /** @param shared what processes know together; null where there is one */
  constructor(shared: LaneMemory | null = null) {
    this.#shared = shared
  }

  /** The pace of a lane; null for none. */
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

  /** Takes note of a message that a lane did not accept, for a reason that concerns the lane. */
  deferred(lane: string, now: number): void {
    const pace = this.of(lane)
    if (pace === null) return
    const after = heldBack(pace, now)
    // Later than what was set in the minutes before, and sooner than any other pace.
    if (after !== pace) this.#set(lane, after, pace.since + 2 + Math.floor((now - pace.since) / minute))
  }

  /**
   * Slows a lane down after a server asked for it: to a rate, messages a minute, else to half of what it accepted within the
   * last ten seconds.
   *
   * @param wait the wait that the server stated, milliseconds; an hour counts at most
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

  /** Begins again slowly, after a suspension that ended at a time. */
  resume(lane: string, at: number, now: number): void {
    const pace = this.of(lane)
    if (at + resumedMinutes * minute > now && (pace === null || pace.since < at))
      this.#set(lane, resumePace(at), at)
  }

  /** Sends to a lane without delay from a time on. */
  clear(lane: string, at: number): void {
    this.#paces.delete(lane)
    this.#shared?.setPace(lane, null, at)
  }

  /** Takes the turn of a message; otherwise returns when the next one may be sent. */
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
    // A pace that follows another begins with the part of a turn that the one before has gathered.
    const tokens = before === undefined || before.until <= pace.since ? 1 : Math.min(1, tokensOf(before, at))
    keep(this.#paces, lane, { ...pace, tokens, tokensAt: Math.max(at, before?.tokensAt ?? at) })
  }
}

/** Sets an entry of a map that is bounded: the oldest leaves. */
const keep = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
  map.delete(key)
  map.set(key, value)
  if (map.size > maxLanes) map.delete(map.keys().next().value!)
}
