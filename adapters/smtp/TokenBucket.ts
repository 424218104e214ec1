/**
 * Turns that come at a rate, of which some may be taken at once. Processes that share a rate have a part of it each: what one gives
 * up is lost, and one that gets a part begins with a single turn, so that together they take no more for it.
 *
 * @module
 */

/** A process's part of a rate. */
export interface Rate {
  /** Turns of a millisecond; 0 without a part. */
  readonly perMilli: number
  /** How many may be taken at once; one always may. */
  readonly burst: number
}

/** The part of a minute's turns that may be taken at once, and the part that comes within a minute. */
const burstPart = 0.1
const steadyPart = 0.8

/**
 * The rate at which no minute has more than so many turns, however they are taken: the rest is for processes that get a part,
 * and begin with a turn.
 *
 * @param part the part of a process
 */
export const withinMinute = (most: number, part: number): Rate => ({
  perMilli: (steadyPart * part * most) / 60_000,
  burst: burstPart * part * most
})

/** Turns at a rate. All times are epoch milliseconds. */
export class TokenBucket {
  #tokens = 0
  #at = 0
  #perMilli = 0
  #most = 0

  /**
   * Goes on at another rate.
   *
   * @param isRested whether no process took a turn for a while, so that one without a part begins with all of a burst
   */
  follow({ burst, perMilli }: Rate, isRested: boolean, now: number): void {
    this.#gather(now)
    const most = perMilli > 0 ? Math.max(1, burst) : 0
    if (this.#perMilli === 0) this.#tokens = isRested ? most : Math.min(1, most)
    else if (most < this.#most) this.#tokens *= most / this.#most
    this.#perMilli = perMilli
    this.#most = most
  }

  /** When a turn is free, Infinity without a part; where that is now, it is taken. */
  take(now: number): number {
    this.#gather(now)
    if (this.#tokens < 1) return now + Math.max(1, (1 - this.#tokens) / this.#perMilli)
    this.#tokens--
    return now
  }

  #gather(now: number): void {
    this.#tokens = Math.min(this.#most, this.#tokens + this.#perMilli * Math.max(0, now - this.#at))
    this.#at = now
  }
}
