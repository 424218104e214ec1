/**
 * Sources: the installation's addresses from which mail is sent, and the pools that contain them.
 *
 * @module
 */

/** The modes of a source, which an operator sets. */
export const sourceModes = ["Active", "Paused", "Retired"] as const
export type SourceMode = (typeof sourceModes)[number]

/** `Unready` is a source that should send but cannot; a `Warming` source sends a little more each day. */
export const sourceStates = ["Unready", "Warming", ...sourceModes] as const
export type SourceState = (typeof sourceStates)[number]

/** Why a source is `Unready`. */
export const sourceReasons = [
  /** None of the names to which its address resolves leads back to it, or none is the name as which it sends. */
  "shaping.source_without_ptr",
  /** No process has its address. */
  "shaping.source_without_node"
] as const
export type SourceReason = (typeof sourceReasons)[number]

/** The reverse DNS of a source's address. */
export interface ReverseName {
  /** The names to which the address resolves, at most ten. */
  readonly names: ReadonlyArray<string>
  /** Whether the source's EHLO name is one of them and resolves to the address. */
  readonly isConfirmed: boolean
  /** Epoch milliseconds. */
  readonly checkedAt: number
}

/** The progress of a source through the plan of its warm-up. */
export interface WarmUp {
  /** The day of the plan, from 1. */
  readonly day: number
  /** The day, UTC, `YYYY-MM-DD`, whose counts decide the next step of the plan. */
  readonly on: string
  /** Epoch milliseconds; `movedBackAt` is null if the plan was never moved back. */
  readonly startedAt: number
  readonly movedBackAt: number | null
}

/** The counts of a source's messages: all that were sent, and those of them with certain results. */
export const sourceCounts = ["sent", "deferred", "policy", "bounced", "complained"] as const

/** Counts of a source's messages. */
export type SourceCounts = Readonly<Record<(typeof sourceCounts)[number], number>>

/** The key of the counts of a source's messages. */
export interface SourceDayKey {
  readonly sourceId: string
  /** UTC, `YYYY-MM-DD`. */
  readonly day: string
  /** The key of a group of providers, or the lane of a single site. */
  readonly bucket: string
}

/** The counts of a source's messages on a day to a group of providers, or to a single site. */
export interface SourceDay extends SourceDayKey, SourceCounts {
  /** The messages of the warm-up limit that processes have reserved: in total, and in the last hour and minute with any. */
  readonly taken: number
  /** The hour and minute, counted since the epoch. */
  readonly hour: number
  readonly hourTaken: number
  readonly minute: number
  readonly minuteTaken: number
}

/** The counts of no messages. */
export const noCounts: SourceCounts = { sent: 0, deferred: 0, policy: 0, bounced: 0, complained: 0 }

/** A source's day without messages. */
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
  /** The name that it uses in EHLO; null for the installation's mail host. */
  readonly name: string | null
  /** The key of its pool. */
  readonly pool: string
  readonly mode: SourceMode
  /** Whether it sends even without a confirmed reverse name. */
  readonly isForced: boolean
  /** The reverse DNS; null before the first check. */
  readonly reverse: ReverseName | null
  /** The warm-up; null if its volume is not limited. */
  readonly warmUp: WarmUp | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A pool of sources. */
export interface SourcePool {
  readonly key: string
  readonly name: string
  /** The key of the pool that takes over mail for which no source in this pool may be used; null for none. */
  readonly overflow: string | null
}

/** The key of the pool for mail that names no other. It always exists. */
export const defaultPool = "default"

/** The source from which a message is sent. */
export interface SendingSource {
  readonly address: string
  /** The name that it uses in EHLO; null for the installation's mail host. */
  readonly name: string | null
}

/** The family of an IP address. */
export type AddressFamily = 4 | 6

/** The family of an address. */
export const familyOf = (address: string): AddressFamily => (address.includes(":") ? 6 : 4)

/** The name of a lane as reached from a source: the name of the lane, and the source's address. */
export const laneFrom = (lane: string, source: Pick<SendingSource, "address"> | null): string =>
  source === null ? lane : `${lane}@${source.address}`

/** The name of a lane without its source. */
export const laneWithoutSource = (lane: string): string => lane.split("@", 1)[0]!

/** The kinds of lanes that belong to no provider: the part of their names before the first colon. */
const laneKinds: ReadonlySet<string> = new Set(["domain", "ip", "pool", "relay"])

/**
 * The lanes whose suspensions and paces also apply to a lane, the lane itself first: the lane from all sources, and the lanes of
 * its provider if each site of the provider has its own limits.
 */
export const lanesOver = (lane: string): ReadonlyArray<string> => {
  const whole = laneWithoutSource(lane)
  const source = lane.slice(whole.length)
  const key = whole.split(":", 1)[0]!
  return [...new Set([lane, whole, ...(laneKinds.has(key) ? [] : [`${key}${source}`, key])])]
}

/** The destination of a lane, from whichever source: a provider, a site or a domain. */
export const placeOfLane = (lane: string): string => lane.split("@", 1)[0]!

/** The address of a lane's source; null if the system chooses it. */
export const sourceOfLane = (lane: string): string | null => lane.split("@", 2)[1] ?? null
