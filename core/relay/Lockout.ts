/**
 * Who failed to log in too often (public-api, Authentication 8): after 10 failed logins in 10 minutes an address is
 * refused for 15 minutes. Failures are counted in fixed windows all nodes share; whether they are too many, and since
 * when, is worked out from the counts, so that there is no lock to be set, or lost, or lifted.
 *
 * @module
 */
import type { Hit } from "../ports/RateLimits.ts"

/** Failures in {@link periodMillis} that lock an address out. */
export const maxFailures = 10
/** How far failures are counted together. */
export const periodMillis = 600_000
/** How long an address is refused. */
export const lockMillis = 900_000

/** The counts are exact to this. */
const slotMillis = 10_000
const periodSlots = periodMillis / slotMillis
const lockSlots = lockMillis / slotMillis
/** As long as failures matter; two windows of it always hold all that does. */
const longMillis = periodMillis + lockMillis

/** Addresses belong to no account. */
const nobody = "00000000-0000-0000-0000-000000000000"

const slotOf = (now: number): number => Math.floor(now / slotMillis)

const slotHit = (address: string, slot: number, amount: number): Hit => ({
  accountId: nobody,
  subject: `login-slot:${address}`,
  windowStart: slot * slotMillis,
  amount
})

const longHit = (address: string, now: number, amount: number): Hit => ({
  accountId: nobody,
  subject: `login:${address}`,
  windowStart: now - (now % longMillis),
  amount
})

/** What to read first: an address whose counts add up to less than {@link maxFailures} is not locked out. */
export const recentFailures = (address: string, now: number): ReadonlyArray<Hit> => [
  longHit(address, now, 0),
  longHit(address, now - longMillis, 0)
]

/** What to read of an address that failed often: its slots, oldest first. */
export const failuresBySlot = (address: string, now: number): ReadonlyArray<Hit> => {
  const last = slotOf(now)
  const count = periodSlots + lockSlots + 1
  return Array.from({ length: count }, (_, index) => slotHit(address, last - count + 1 + index, 0))
}

/** What to add for a failed login. */
export const failure = (address: string, now: number): ReadonlyArray<Hit> => [
  longHit(address, now, 1),
  slotHit(address, slotOf(now), 1)
]

/** Whether an address is refused now, by the counts of {@link failuresBySlot}. */
export const isLockedOut = (slots: ReadonlyArray<number>): boolean => {
  let sum = 0
  for (const [index, count] of slots.entries()) {
    sum += count
    if (index > periodSlots) sum -= slots[index - periodSlots - 1]!
    if (count > 0 && sum >= maxFailures && index >= slots.length - 1 - lockSlots) return true
  }
  return false
}
