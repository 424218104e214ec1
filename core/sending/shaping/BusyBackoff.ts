/**
 * Decides when deliveries that cannot be sent now are dispatched again, so that not all of a long backlog are at the same
 * time.
 *
 * @module
 */
import { type Pace, rateAt } from "../../model/Lane.ts"

const minute = 60_000
/** Milliseconds between two deliveries of a busy destination: up to 500 a second are tried again. */
const busyInterval = 2
/** The longest delay beyond the time a destination is busy, milliseconds: it may recover earlier than expected. */
const maxBusyDelay = 300_000
/** How many deliveries ask for each message that may be sent at a pace, and how far apart they are at most, milliseconds. */
const asksPerMessage = 3
const maxAskInterval = 2_000
/** How much later held marketing asks than transactional mail, which is preferred to find out whether a suspension can end, milliseconds. */
const marketingAfter = 1_000
/** How many deliveries that are held ask whether they still are, of those that have all in common that decides it. */
const maxAsking = 20
/**
 * How long the others wait at most before they ask as well, milliseconds. They are released when one of those leaves, unless all of
 * those are erased, cancelled or paused meanwhile: transactional mail leaves within 15 minutes of a suspension's end nevertheless.
 */
const parkedMillis = { transactional: 12 * minute, marketing: 3 * 60 * minute } as const
/** The part of that which all of them wait; the rest spreads them. */
const parkedAtLeast = 0.9
/** Multiples of it, without their whole parts, are spread evenly however many there are. */
const goldenSection = 0.618_033_988_75
/** The most destinations whose last time is kept, and accounts of each. The next delivery of one that was dropped is tried earlier. */
const maxDestinations = 10_000
const maxAccounts = 1_000

/** The deliveries that wait for a destination. */
interface Line {
  /** When the last one of each account is tried again, epoch milliseconds; the oldest entry first. */
  readonly lastAt: Map<string, number>
  /** The latest time at which a delivery is tried that did not go behind others. */
  firstAt: number
}

/** Spreads the deliveries that wait for busy destinations. All times are epoch milliseconds. */
export class BusyBackoff {
  readonly #lines = new Map<string, Line>()
  /** When the held deliveries that ask do so, by what they have in common; the oldest entry first. */
  readonly #asking = new Map<string, ReadonlyArray<number>>()
  #parked = 0

  /** When the next delivery to a destination that is busy until then is tried again. */
  nextAt(destination: string, until: number): number {
    const { lastAt } = this.#lineOf(destination)
    const last = lastAt.get("") ?? 0
    // One that is far later belongs to a suspension that has ended.
    const from = last > until + 2 * maxBusyDelay ? until : Math.max(until, last + busyInterval)
    const at = Math.min(from, until + maxBusyDelay)
    lastAt.set("", at)
    return at
  }

  /**
   * When the next delivery of an account to a lane that is sent to at a pace is tried again, at `until` at the soonest: as
   * many are tried as may be sent, and some more, so that none of the turns is lost. The accounts have equal parts; one that
   * waits for the next turn goes before all others.
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
   * When a held delivery is tried again, at `until` at the soonest. A few of those that have `line` in common are tried then; the
   * others wait until they are released, or for much longer: however many are held, they cost little until one of them is sent.
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
