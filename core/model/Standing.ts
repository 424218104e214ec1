/**
 * The standing of an account: how receiving servers and people take its mail.
 *
 * @module
 */

/** The states of an account's standing. While it is `Held`, its marketing waits. */
export const standingStates = ["Good", "Notice", "Held"] as const

/** The state of an account's standing. */
export type StandingState = (typeof standingStates)[number]

/** Whether an email is marketing. */
export type Stream = "Transactional" | "Marketing"

/**
 * What is counted: messages that a server answered finally; of those accepted, refused for their address, for a full mailbox,
 * and by a policy; the temporary refusals before; and in the hour of delivery complaints, unsubscribes by a link of the message,
 * and the messages that people, or machines alone, opened or clicked. One of which neither is certain is in none of the last.
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

/** No messages. */
export const noBucketCounts = Object.fromEntries(bucketCounts.map((name) => [name, 0])) as BucketCounts

/** What messages are counted by. */
export interface BucketKey {
  readonly accountId: string
  readonly stream: Stream
  /** The sender's domain. */
  readonly domain: string
  /** The key of the provider whose servers took or refused them; `other` for all others. */
  readonly provider: string
  /** The address of the installation that they left from; null where the system chose it, and behind a relay. */
  readonly source: string | null
}

/** Messages to be counted at a time, epoch milliseconds; less than 0 where what was counted is corrected. */
export interface BucketChange extends BucketKey, BucketCounts {
  readonly at: number
}

/** The counts of an hour or a day, UTC. */
export interface Bucket extends BucketKey, BucketCounts {
  /** When it begins, epoch milliseconds. */
  readonly start: number
}

/** The length of a bucket. Hours are kept for two days, days for 13 months. */
export type BucketSpan = "Hour" | "Day"

/** A rate of complaints that a provider shows to the owner of a domain alone, entered by hand. */
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

/** A rate at or above a threshold. */
export interface StandingReason {
  readonly rate: RateKind
  /** What the threshold leads to. */
  readonly state: Exclude<StandingState, "Good">
  /** Null for all providers together. */
  readonly provider: string | null
  /** The days of the rate. */
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
  /** When a hold ends by itself; null where only an operator lifts it. */
  readonly heldUntil: number | null
  /** When the last hold was lifted or ended: what was counted before is not judged again, and marketing increases slowly. */
  readonly liftedAt: number | null
}

/** The standing of an account about which nothing is stored. */
export const goodStanding = (accountId: string): Standing => ({
  accountId,
  state: "Good",
  reasons: [],
  heldAt: null,
  heldUntil: null,
  liftedAt: null
})

/** The provider of servers that the table does not name. */
export const otherProvider = "other"
