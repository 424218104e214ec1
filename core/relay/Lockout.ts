/**
 * Locks out networks after failed logins (docs/contributing/public-api.md "Authentication"): after 10 failures in 10
 * minutes a network, an IPv4 address or an IPv6 /64, is rejected for 15 minutes. Failures are counted in fixed windows
 * that all nodes share. The lockout is computed from the counts, so that no lock has to be stored or removed.
 *
 * @module
 */
import type { Hit } from "../ports/RateLimits.ts"

/** Failures in {@link periodMillis} that lock a network out. */
export const maxFailures = 10
/** The period within which failures count together. */
export const periodMillis = 600_000
/** How long a network is locked out. */
export const lockMillis = 900_000

/** The length of a window, and so the accuracy of the counts. */
const slotMillis = 10_000
const periodSlots = periodMillis / slotMillis
const lockSlots = lockMillis / slotMillis
/** How long a failure can matter; two windows of this length always contain every such failure. */
const longMillis = periodMillis + lockMillis

/** The account of the counts: networks belong to none. */
const noAccount = "00000000-0000-0000-0000-000000000000"

const slotOf = (now: number): number => Math.floor(now / slotMillis)

const hit = (subject: string, windowStart: number, amount: number): Hit => ({
  accountId: noAccount,
  subject,
  windowStart,
  amount
})

const slotHit = (network: string, slot: number, amount: number): Hit =>
  hit(`login-slot:${network}`, slot * slotMillis, amount)

const longHit = (network: string, now: number, amount: number): Hit =>
  hit(`login:${network}`, now - (now % longMillis), amount)

/** The counts to read first: a network whose sum is less than {@link maxFailures} is not locked out. */
export const recentFailures = (network: string, now: number): ReadonlyArray<Hit> => [
  longHit(network, now, 0),
  longHit(network, now - longMillis, 0)
]

/** The counts to read of a network that failed often: its slots, oldest first. */
export const failuresBySlot = (network: string, now: number): ReadonlyArray<Hit> => {
  const last = slotOf(now)
  const count = periodSlots + lockSlots + 1
  return Array.from({ length: count }, (_, index) => slotHit(network, last - count + 1 + index, 0))
}

/** The counts to increment for a failed login. */
export const failure = (network: string, now: number): ReadonlyArray<Hit> => [
  longHit(network, now, 1),
  slotHit(network, slotOf(now), 1)
]

/** Whether a network is locked out now, by the counts of {@link failuresBySlot}. */
export const isLockedOut = (slots: ReadonlyArray<number>): boolean => {
  let sum = 0
  for (const [index, count] of slots.entries()) {
    sum += count
    if (index > periodSlots) sum -= slots[index - periodSlots - 1]!
    if (count > 0 && sum >= maxFailures && index >= slots.length - 1 - lockSlots) return true
  }
  return false
}
