/**
 * Decides when deliveries that cannot be sent now are dispatched again, so that a long backlog is not dispatched all at once.
 *
 * @module
 */
import { type Pace, rateAt } from "../../model/Lane.ts"

const minute = 60_000
/** The interval between two deliveries of a busy destination, milliseconds: up to 500 a second are dispatched again. */
const busyInterval = 2
/** The longest delay beyond the time until which a destination is busy, milliseconds. It may recover earlier than expected. */
const maxBusyDelay = 300_000
/** How many deliveries are dispatched for each message that a pace allows, and their longest interval, milliseconds. */
const asksPerMessage = 3
const maxAskInterval = 2_000
/**
 * How much later held marketing is dispatched than transactional mail, milliseconds. Transactional mail is preferred for
 * finding out whether a suspension can end.
 */
const marketingAfter = 1_000
/** How many held deliveries of one group are dispatched to find out whether they are still held. */
const maxAsking = 20
/**
 * How long the other deliveries of the group wait at most before they are dispatched too, milliseconds. They are released once
 * one of the former is sent. If all of those are erased, cancelled or paused meanwhile, transactional mail is still sent
 * within 15 minutes after a suspension ends.
 */
const parkedMillis = { transactional: 12 * minute, marketing: 3 * 60 * minute } as const
/** The part of this time that all of them wait. The rest of the time spreads them. */
const parkedAtLeast = 0.9
/** The fractional parts of its multiples are spread evenly, however many there are. */
const goldenSection = 0.618_033_988_75
/**
 * The maximum number of destinations, and of accounts of each, whose last time is kept. The next delivery of a dropped one is
 * dispatched earlier.
 */
const maxDestinations = 10_000
const maxAccounts = 1_000

/** The deliveries that wait for a destination. */
interface Line {
  /** When the last delivery of each account is dispatched again, epoch milliseconds; oldest entry first. */
  readonly lastAt: Map<string, number>
  /** The latest dispatch time given to a delivery that did not have to queue behind others. */
  firstAt: number
}

/** Spreads the deliveries that wait for busy destinations. All times are epoch milliseconds. */
export class BusyBackoff {
  readonly #lines = new Map<string, Line>()
  /** The dispatch times of the held deliveries that find out whether they are still held, by group; oldest entry first. */
  readonly #asking = new Map<string, ReadonlyArray<number>>()
  #parked = 0

  /** Returns when the next delivery to a destination that is busy until `until` is dispatched again. */
  nextAt(destination: string, until: number): number {
    const { lastAt } = this.#lineOf(destination)
    const last = lastAt.get("") ?? 0
    // A time far later belongs to a suspension that has ended.
    const from = last > until + 2 * maxBusyDelay ? until : Math.max(until, last + busyInterval)
    const at = Math.min(from, until + maxBusyDelay)
    lastAt.set("", at)
    return at
  }

  /**
   * Returns when the next delivery of an account to a lane with a pace is dispatched again, at `until` at the earliest.
   * Somewhat more deliveries are dispatched than the pace allows, so that none of its slots stays unused. Accounts get equal
   * shares. The delivery that waits for the next slot precedes all others.
   */
  nextTurn(lane: string, accountId: string, until: number, pace: Pace): number {
    const line = this.#lineOf(lane)
    if (until > line.firstAt || line.firstAt > pace.until + maxBusyDelay) {
      line.firstAt = until
      return until
    }
    const { lastAt } = line
    for (const [other, at] of lastAt) {
      if (at >= until && lastAt.size <= maxAccounts) break
      lastAt.delete(other)
    }
    const last = lastAt.get(accountId) ?? 0
    lastAt.delete(accountId)
    const known = last > pace.until + 2 * maxBusyDelay ? 0 : last
    const accounts = lastAt.size + 1
    const asked = Math.max(until, known + accounts * askInterval(pace, Math.max(until, known)))
    const at =
      asked <= pace.until
        ? asked
        : Math.min(
            Math.max(until, pace.until, known + busyInterval),
            Math.max(until, pace.until) + maxBusyDelay
          )
    lastAt.set(accountId, at)
    return Math.ceil(at)
  }

  /**
   * Returns when a held delivery is dispatched again, at `until` at the earliest. A few of the deliveries with the same `line`
   * are dispatched then. The others wait until they are released, or much longer, so that they cost little, however many are
   * held, until one of the former is sent.
   */
  heldAt(line: string, stream: keyof typeof parkedMillis, until: number, now: number): number {
    const asking = (this.#asking.get(line) ?? []).filter((at) => at > now)
    const isAsking = asking.length < maxAsking
    const at = until + busyInterval * asking.length + (stream === "marketing" ? marketingAfter : 0)
    this.#asking.delete(line)
    this.#asking.set(line, isAsking ? [...asking, at] : asking)
    if (this.#asking.size > maxDestinations) this.#asking.delete(this.#asking.keys().next().value!)
    if (isAsking) return at
    this.#parked = (this.#parked + goldenSection) % 1
    const part = parkedAtLeast + (1 - parkedAtLeast) * this.#parked
    return Math.max(until, now) + Math.floor(part * parkedMillis[stream])
  }

  #lineOf(name: string): Line {
    const line = this.#lines.get(name) ?? { lastAt: new Map<string, number>(), firstAt: 0 }
    this.#lines.delete(name)
    this.#lines.set(name, line)
    if (this.#lines.size > maxDestinations) this.#lines.delete(this.#lines.keys().next().value!)
    return line
  }
}

const askInterval = (pace: Pace, at: number): number =>
  Math.max(busyInterval, Math.min(maxAskInterval, minute / (asksPerMessage * rateAt(pace, at))))
