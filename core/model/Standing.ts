/**
 * The standing of an account: how receiving servers and people respond to its mail.
 *
 * @module
 */

/** The states of an account's standing. While it is `Held`, the account's marketing waits. */
export const standingStates = ["Good", "Notice", "Held"] as const

/** The state of an account's standing. */
export type StandingState = (typeof standingStates)[number]

/** Whether an email is marketing. */
export type Stream = "Transactional" | "Marketing"

/**
 * The counts from which standing is judged. Messages to which a server gave a final reply; of those, the accepted ones, and the
 * ones rejected because of their address, a full mailbox, or a policy; and earlier temporary rejections. Also, counted in the
 * hour of delivery: complaints, unsubscribes by a link in the message, and messages that people opened or clicked, or that only
 * machines did. A message for which neither is certain is in none of the latter.
 */
export const bucketCounts = [
  "handed",
  "delivered",
  "deferred",
  "policy",
  "bounced",
  "mailboxFull",
  "complained",
  "unsubscribed",
  "openedHuman",
  "openedMachine",
  "clickedHuman",
  "clickedMachine"
] as const

/** Counts of messages. */
export type BucketCounts = Readonly<Record<(typeof bucketCounts)[number], number>>

/** The counts of no messages. */
export const noBucketCounts = Object.fromEntries(bucketCounts.map((name) => [name, 0])) as BucketCounts

/** The key of counts of messages. */
export interface BucketKey {
  readonly accountId: string
  readonly stream: Stream
  /** The sender's domain. */
  readonly domain: string
  /** The key of the provider whose servers accepted or rejected them; `other` for all others. */
  readonly provider: string
  /** The installation's address from which they were sent; null if the system chose it, and with a relay. */
  readonly source: string | null
}

/** Counts to add for a time, epoch milliseconds. They are negative to correct earlier counts. */
export interface BucketChange extends BucketKey, BucketCounts {
  readonly at: number
}

/** The counts of an hour or a day, UTC. */
export interface Bucket extends BucketKey, BucketCounts {
  /** When it starts, epoch milliseconds. */
  readonly start: number
}

/** The length of a bucket. Hours are kept for two days, days for 13 months. */
export type BucketSpan = "Hour" | "Day"

/** A complaint rate that a provider shows only to the owner of a domain, entered by hand. */
export interface Observation {
  readonly accountId: string
  readonly provider: string
  readonly domain: string
  /** UTC, `YYYY-MM-DD`. */
  readonly day: string
  /** From 0 to 1. */
  readonly spamRate: number
}

/** The rates that are judged. */
export const rateKinds = ["complaints", "observed", "bounces", "policy"] as const

/** A rate that is judged. */
export type RateKind = (typeof rateKinds)[number]

/** A rate that reached a threshold. */
export interface StandingReason {
  readonly rate: RateKind
  /** The state to which the threshold leads. */
  readonly state: Exclude<StandingState, "Good">
  /** The provider; null for all providers together. */
  readonly provider: string | null
  /** The number of days over which the rate is computed. */
  readonly days: 1 | 7
  readonly value: number
  readonly threshold: number
}

/** An account's standing. All times are epoch milliseconds. */
export interface Standing {
  readonly accountId: string
  readonly state: StandingState
  readonly reasons: ReadonlyArray<StandingReason>
  readonly heldAt: number | null
  /** When a hold ends automatically; null if only an operator can lift it. */
  readonly heldUntil: number | null
  /** When the last hold was lifted or ended. Earlier counts are not judged again, and marketing increases slowly from then on. */
  readonly liftedAt: number | null
}

/** The standing of an account for which none is stored. */
export const goodStanding = (accountId: string): Standing => ({
  accountId,
  state: "Good",
  reasons: [],
  heldAt: null,
  heldUntil: null,
  liftedAt: null
})

/** The provider key for servers that are not in the table of providers. */
export const otherProvider = "other"
