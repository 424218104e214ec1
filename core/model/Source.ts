/**
 * Sources: the addresses of the installation that mail leaves from, and the pools they are in.
 *
 * @module
 */

/** What an operator lets a source do. */
export const sourceModes = ["Active", "Paused", "Retired"] as const
export type SourceMode = (typeof sourceModes)[number]

/** `Unready` is a source that may send and cannot. */
export const sourceStates = ["Unready", ...sourceModes] as const
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

/** The address of a lane's source; null where the system chooses it. */
export const sourceOfLane = (lane: string): string | null => lane.split("@", 2)[1] ?? null
