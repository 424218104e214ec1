/**
 * How fast lanes are sent to, where it is slower than they could be: after a server asked for less, and after a suspension.
 * In memory: each process keeps the pace by itself.
 *
 * @module
 */

const minute = 60_000

/** The rate at which a lane is sent to after a suspension, messages a minute; doubled each minute. */
const resumedRate = 6
/** For how many minutes that is. */
const resumedMinutes = 10
/** How long a lane is sent to more slowly after a server asked for it, minutes, where its rule does not say. */
const slowMinutes = 15
/** How often the rate is lowered at most, milliseconds. */
const lowerEvery = 10_000
/** The longest wait that a server can ask for all mail of its lane, milliseconds. */
const maxWait = 60 * minute
const maxLanes = 10_000

interface Pace {
  readonly perMinute: number
  /** By how much it grows each minute. */
  readonly growth: number
  readonly since: number
  readonly until: number
  /** Messages that may be sent now, and since when. */
  tokens: number
  tokensAt: number
  /** Nothing is sent before this time, which the server stated. */
  notBefore: number
}

/** The messages a lane accepted, in two windows of ten seconds. */
interface Accepted {
  window: number
  now: number
  before: number
}

/** The paces of lanes. All times are epoch milliseconds. */
export class Paces {
  readonly #paces = new Map<string, Pace>()
  readonly #accepted = new Map<string, Accepted>()

  /** Counts a message that a lane accepted. */
  accepted(lane: string, now: number): void {
    const window = Math.floor(now / lowerEvery)
    const found = this.#accepted.get(lane)
    if (found?.window === window) found.now++
    else keep(this.#accepted, lane, { window, now: 1, before: found?.window === window - 1 ? found.now : 0 })
  }

  /**
   * Slows a lane down after a server asked for it: to a rate, messages a minute, else to half of what it accepted within the
   * last ten seconds.
   *
   * @param wait the wait that the server stated, milliseconds; an hour counts at most
   */
  slow(lane: string, perMinute: number | null, minutes: number | null, wait: number, now: number): void {
    const pace = this.#paces.get(lane)
    const notBefore = now + Math.min(wait, maxWait)
    if (pace !== undefined && now - pace.since < lowerEvery) {
      pace.notBefore = Math.max(pace.notBefore, notBefore)
      return
    }
    const { before = 0, now: latest = 0 } = this.#accepted.get(lane) ?? {}
    const asked = perMinute ?? Math.max(1, ((60_000 / lowerEvery) * Math.max(before, latest)) / 2)
    const current = pace === undefined || pace.until <= now ? Infinity : rateOf(pace, now)
    const millis = Math.max((minutes ?? slowMinutes) * minute, notBefore - now)
    this.#set(lane, Math.min(asked, current), 1.5, now, millis, notBefore)
  }

  /** Begins again slowly, after a suspension that ended at a time. */
  resume(lane: string, at: number): void {
    const pace = this.#paces.get(lane)
    if (pace === undefined || pace.since < at)
      this.#set(lane, resumedRate, 2, at, resumedMinutes * minute, at)
  }

  /** Sends to a lane without delay. */
  clear(lane: string): void {
    this.#paces.delete(lane)
  }

  /** Takes the turn of a message; otherwise returns when the next one may be sent. */
  take(lane: string, now: number): number | null {
    const pace = this.#paces.get(lane)
    if (pace === undefined) return null
    if (pace.until <= now) {
      this.#paces.delete(lane)
      return null
    }
    if (pace.notBefore > now) return pace.notBefore
    const rate = rateOf(pace, now)
    pace.tokens = Math.min(Math.max(1, rate / 60), pace.tokens + (rate * (now - pace.tokensAt)) / minute)
    pace.tokensAt = now
    if (pace.tokens >= 1) {
      pace.tokens--
      return null
    }
    return now + Math.ceil(((1 - pace.tokens) * minute) / rate)
  }

  #set(
    lane: string,
    perMinute: number,
    growth: number,
    since: number,
    millis: number,
    notBefore: number
  ): void {
    const until = since + millis
    keep(this.#paces, lane, { perMinute, growth, since, until, tokens: 1, tokensAt: since, notBefore })
  }
}

const rateOf = ({ growth, perMinute, since }: Pace, now: number): number =>
  perMinute * growth ** Math.max(0, Math.floor((now - since) / minute))

/** Sets an entry of a map that is bounded: the oldest leaves. */
const keep = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
  map.delete(key)
  map.set(key, value)
  if (map.size > maxLanes) map.delete(map.keys().next().value!)
}
