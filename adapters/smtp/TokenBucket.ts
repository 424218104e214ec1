/**
 * A token bucket: it limits actions to a rate with bursts. A token permits one action. Each process that shares a rate has a part
 * of it. If it gives its part up, its tokens are lost, and a process that gets a part begins with a single token. So together
 * the processes do not exceed the rate when parts move.
 *
 * @module
 */

/** A process's part of a rate. */
export interface Rate {
  /** Tokens per millisecond; 0 without a part. */
  readonly perMilli: number
  /** How many tokens can be taken at once; at least one. */
  readonly burst: number
}

/** The fraction of a minute's tokens that can be taken at once, and the fraction that is added within a minute. */
const burstPart = 0.1
const steadyPart = 0.8

/**
 * A rate with which no minute has more than `most` actions, however they are distributed. The fractions do not add up to 1,
 * because each process that gets a part begins with an additional token.
 *
 * @param part the process's part, from 0 to 1
 */
export const withinMinute = (most: number, part: number): Rate => ({
  perMilli: (steadyPart * part * most) / 60_000,
  burst: burstPart * part * most
})

/** A token bucket. All times are epoch milliseconds. */
export class TokenBucket {
  #tokens = 0
  #at = 0
  #perMilli = 0
  #most = 0

  /**
   * Continues with another rate.
   *
   * @param isRested whether no process has taken a token for a while. If so, a bucket that had no part begins with a whole burst
   */
  follow({ burst, perMilli }: Rate, isRested: boolean, now: number): void {
    this.#gather(now)
    const most = perMilli > 0 ? Math.max(1, burst) : 0
    if (this.#perMilli === 0) this.#tokens = isRested ? most : Math.min(1, most)
    else if (most < this.#most) this.#tokens *= most / this.#most
    this.#perMilli = perMilli
    this.#most = most
  }

  /** Returns when a token will be available, Infinity without a part. If that is now, the token is taken. */
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
