/**
 * Locks out networks after failed logins and wrong tokens. Failures are counted in fixed windows that all nodes share. Whether a
 * network is locked out is computed from the counts, so no lock has to be stored or removed.
 *
 * @module
 */
import { noAccount } from "../model/Account.ts"
import type { Hit } from "../ports/RateLimits.ts"

/** The failures that lock a network out, and for how long. */
export interface LockoutLimits {
  /** Distinguishes the counts of two lockouts. */
  readonly name: string
  /** The number of failures in `periodMillis` that lock a network out. */
  readonly maxFailures: number
  /** The period within which failures count together. */
  readonly periodMillis: number
  /** How long a network is locked out. */
  readonly lockMillis: number
}

/** The length of a window, and therefore the accuracy of the counts. */
const slotMillis = 10_000

/** A lockout with given limits: which counts it needs, and what they mean. */
export const makeLockout = ({ lockMillis, maxFailures, name, periodMillis }: LockoutLimits) => {
  const periodSlots = periodMillis / slotMillis
  const lockSlots = lockMillis / slotMillis
  /** How long a failure can matter. Two windows of this length always contain every such failure. */
  const longMillis = periodMillis + lockMillis

  const slotOf = (now: number): number => Math.floor(now / slotMillis)

  const hit = (subject: string, windowStart: number, amount: number): Hit => ({
    accountId: noAccount,
    subject,
    windowStart,
    amount
  })

  const slotHit = (network: string, slot: number, amount: number): Hit =>
    hit(`${name}-slot:${network}`, slot * slotMillis, amount)

  const longHit = (network: string, now: number, amount: number): Hit =>
    hit(`${name}:${network}`, now - (now % longMillis), amount)

  return {
    /** Whether the counts of `recentFailures` are too low for the network to be locked out. */
    isSafe: (counts: ReadonlyArray<number>): boolean =>
      counts.reduce((sum, count) => sum + count, 0) < maxFailures,

    /** The counts to read first. */
    recentFailures: (network: string, now: number): ReadonlyArray<Hit> => [
      longHit(network, now, 0),
      longHit(network, now - longMillis, 0)
    ],

    /** The counts to read for a network with many failures: its slots, oldest first. */
    failuresBySlot: (network: string, now: number): ReadonlyArray<Hit> => {
      const last = slotOf(now)
      const count = periodSlots + lockSlots + 1
      return Array.from({ length: count }, (_, index) => slotHit(network, last - count + 1 + index, 0))
    },

    /** The counts to increment for a failure. */
    failure: (network: string, now: number): ReadonlyArray<Hit> => [
      longHit(network, now, 1),
      slotHit(network, slotOf(now), 1)
    ],

    /**
     * When the lockout of a network ends, epoch milliseconds, by the counts of `failuresBySlot`; null if it is not locked out.
     */
    lockedUntil: (slots: ReadonlyArray<number>, now: number): number | null => {
      const first = slots.length - 1 - lockSlots
      let until: number | null = null
      let sum = 0
      for (const [index, count] of slots.entries()) {
        sum += count
        if (index > periodSlots) sum -= slots[index - periodSlots - 1]!
        if (count > 0 && sum >= maxFailures && index >= first) {
          until = (slotOf(now) - (slots.length - 1 - index) + lockSlots + 1) * slotMillis
        }
      }
      return until
    }
  }
}
