/**
 * Sources: the addresses of the installation that mail leaves from, and the pools they are in.
 *
 * @module
 */

/** What an operator lets a source do. */
export const sourceModes = ["Active", "Paused", "Retired"] as const
export type SourceMode = (typeof sourceModes)[number]

/** `Unready` is a source that may send and cannot; `Warming` one that sends a little more each day. */
export const sourceStates = ["Unready", "Warming", ...sourceModes] as const
export type SourceState = (typeof sourceStates)[number]

/** Why a source is `Unready`. */
export const sourceReasons = [
  /** No name that its address leads back to leads to it, or not to the name it sends as. */
  "shaping.source_without_ptr",
  /** No process has its address. */
  "shaping.source_without_node"
] as const
export type SourceReason = (typeof sourceReasons)[number]

/** What the DNS says of a source's address. */
export interface ReverseName {
  /** The names that the address leads back to, at most ten. */
  readonly names: ReadonlyArray<string>
  /** Whether the name that the source sends as is one of them, and leads to the address. */
  readonly isConfirmed: boolean
  /** Epoch milliseconds. */
  readonly checkedAt: number
}

/** Where a source is in the plan of its warm-up. */
export interface WarmUp {
  /** The day of the plan, from 1. */
  readonly day: number
  /** The day whose counts decide how the plan goes on, UTC, `YYYY-MM-DD`. */
  readonly on: string
  /** Epoch milliseconds; for `movedBackAt` null where the plan was never moved back. */
  readonly startedAt: number
  readonly movedBackAt: number | null
}

/** What is counted of a source's messages: those that left, and of those what became of some. */
export const sourceCounts = ["sent", "deferred", "policy", "bounced", "complained"] as const

/** Counts of a source's messages. */
export type SourceCounts = Readonly<Record<(typeof sourceCounts)[number], number>>

/** What counts of a source's messages are kept by. */
export interface SourceDayKey {
  readonly sourceId: string
  /** UTC, `YYYY-MM-DD`. */
  readonly day: string
  /** The key of a group of providers, or the lane of one site. */
  readonly bucket: string
}

/** A source's messages of a day to a group of providers, or to one site. */
export interface SourceDay extends SourceDayKey, SourceCounts {
  /** The messages of its warm-up's share that processes took, in all and in the last hour and minute in which any were taken. */
  readonly taken: number
  /** Hours and minutes since the epoch. */
  readonly hour: number
  readonly hourTaken: number
  readonly minute: number
  readonly minuteTaken: number
}

/** No messages. */
export const noCounts: SourceCounts = { sent: 0, deferred: 0, policy: 0, bounced: 0, complained: 0 }

/** A source's day without any message. */
export const blankDay = (key: SourceDayKey): SourceDay => ({
  ...key,
  ...noCounts,
  taken: 0,
  hour: 0,
  hourTaken: 0,
  minute: 0,
  minuteTaken: 0
})

/** A source. */
export interface MailSource {
  readonly id: string
  /** IPv4 or IPv6, in its canonical form. */
  readonly address: string
  /** What it sends as, in EHLO; null for the host name of the installation for mail. */
  readonly name: string | null
  /** The key of its pool. */
  readonly pool: string
  readonly mode: SourceMode
  /** Whether it sends without a confirmed reverse name. */
  readonly isForced: boolean
  /** Null before the first check. */
  readonly reverse: ReverseName | null
  /** Null where it sends as much as it is given. */
  readonly warmUp: WarmUp | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A pool of sources. */
export interface SourcePool {
  readonly key: string
  readonly name: string
  /** The key of the pool that takes mail for which no source of this one may be used; null for none. */
  readonly overflow: string | null
}

/** The key of the pool of mail that names no other. It always exists. */
export const defaultPool = "default"

/** Where a message leaves from. */
export interface SendingSource {
  readonly address: string
  /** What it sends as; null for the host name of the installation for mail. */
  readonly name: string | null
}

/** An IP address's family. */
export type AddressFamily = 4 | 6

/** The family of an address. */
export const familyOf = (address: string): AddressFamily => (address.includes(":") ? 6 : 4)

/** The name of a lane from a source: that of the lane, and the source's address. */
export const laneFrom = (lane: string, source: Pick<SendingSource, "address"> | null): string =>
  source === null ? lane : `${lane}@${source.address}`

/** The name of a lane without its source. */
export const laneWithoutSource = (lane: string): string => lane.split("@", 1)[0]!

/** The kinds of lanes that no provider has: what stands before the first colon of their names. */
const laneKinds: ReadonlySet<string> = new Set(["domain", "ip", "pool", "relay"])

/**
 * The lanes whose suspension and pace a lane has as well, itself first: that from all sources, and those of its provider where each of
 * its sites has limits of its own.
 */
export const lanesOver = (lane: string): ReadonlyArray<string> => {
  const whole = laneWithoutSource(lane)
  const source = lane.slice(whole.length)
  const key = whole.split(":", 1)[0]!
  return [...new Set([lane, whole, ...(laneKinds.has(key) ? [] : [`${key}${source}`, key])])]
}

/** Where a lane leads: to a provider, a site or a domain, from whichever source. */
export const placeOfLane = (lane: string): string => lane.split("@", 1)[0]!

/** The address of a lane's source; null where the system chooses it. */
export const sourceOfLane = (lane: string): string | null => lane.split("@", 2)[1] ?? null
