/**
 * Decides the state of sources, and from which source a message is sent: pure functions.
 *
 * @module
 */
import {
  type AddressFamily,
  defaultPool,
  familyOf,
  type MailSource,
  type SourceReason,
  type SourceState
} from "../../model/Source.ts"
import type { StoredSources } from "../../ports/SourceStore.ts"
import type { ShareState } from "./WarmUpShares.ts"

/** How long the result of a reverse name check is used while the DNS does not reply, milliseconds. */
const keptReverse = 3 * 86_400_000

/** The state of a source, and why it is `Unready`. */
export interface SourceCondition {
  readonly state: SourceState
  readonly reason: SourceReason | null
}

const isLoopback = (address: string): boolean => address.startsWith("127.")

/** Whether an address is among those of a machine. A loopback address stands for the whole loopback network. */
export const hasAddress = (addresses: Iterable<string>, address: string): boolean => {
  for (const one of addresses) if (one === address || (isLoopback(one) && isLoopback(address))) return true
  return false
}

/**
 * Whether the DNS allows a source to send. IPv6 always needs a confirmed name, because large providers reject it without one.
 */
export const isNamed = ({ address, isForced, reverse }: MailSource): boolean =>
  (isForced && familyOf(address) === 4) || reverse?.isConfirmed === true

/** The state of a source. `addresses` are the addresses that processes have. */
export const conditionOf = (source: MailSource, addresses: Iterable<string>): SourceCondition => {
  if (source.mode !== "Active") return { state: source.mode, reason: null }
  if (!isNamed(source)) return { state: "Unready", reason: "shaping.source_without_ptr" }
  if (!hasAddress(addresses, source.address))
    return { state: "Unready", reason: "shaping.source_without_node" }
  return { state: source.warmUp === null ? "Active" : "Warming", reason: null }
}

/** Whether the result of the previous check remains valid after a lookup without a reply. */
export const isStillKnown = ({ reverse }: MailSource, now: number): boolean =>
  reverse !== null && now - reverse.checkedAt < keptReverse

/** The source from which a message is sent. */
export type SourceChoice =
  /** The system chooses the address. */
  | { readonly _tag: "System" }
  | { readonly _tag: "Source"; readonly source: MailSource }
  /** The mail of this source is held, as is that of every other source. */
  | { readonly _tag: "Held"; readonly source: MailSource }
  /** A share of this source's messages of the day has been requested. */
  | { readonly _tag: "Asked"; readonly source: MailSource }
  /** The share of this source is used up until a time, epoch milliseconds, and no other source may send. */
  | { readonly _tag: "Warming"; readonly source: MailSource; readonly until: number }
  /** No source here can send: another process has the address, or none has. */
  | { readonly _tag: "None"; readonly pool: string; readonly isElsewhere: boolean }

/** The facts on which the choice for a message depends. */
export interface ChoiceRequest {
  /** The key of the pool of sources that the account chose for the stream. */
  readonly pool: string
  /** The key that decides among equal sources: the same key gets the same address from the same sources. */
  readonly stream: string
  /** The families of the servers' addresses; null if not known. */
  readonly families: ReadonlySet<AddressFamily> | null
  /** The addresses of this process's machine. */
  readonly own: Iterable<string>
  /** Whether mail from the source is held. */
  readonly isHeld: (source: MailSource) => boolean
  /** Whether a source in warm-up has a share left. */
  readonly share: (source: MailSource) => ShareState
  /** Whether the message waits for a share, as only marketing does. */
  readonly isMarketing: boolean
  /** Whether the SPF record of the message's return path permits an IPv6 source. */
  readonly isListed: (source: MailSource) => boolean
}

/** Whether mail may be sent from a source, as far as its mode and the DNS are concerned. */
const isUsable = (source: MailSource): boolean => source.mode === "Active" && isNamed(source)

/**
 * The IPv6 sources of a pool and of the pools to which it overflows. They are used only if the SPF record of the message's
 * return path permits them, because large providers reject IPv6 mail that is not authenticated. IPv4 sources need no such
 * permission.
 */
export const sourcesNeedingSpf = (key: string, known: StoredSources): ReadonlyArray<MailSource> => {
  const six = known.sources.filter((source) => familyOf(source.address) === 6 && isUsable(source))
  if (six.length === 0) return six
  const keys = poolsFrom(key, known)
  return six.filter(({ pool }) => keys.includes(pool))
}

/**
 * The unlisted IPv6 addresses that send no mail of the domain, because every stream has another address without them.
 *
 * @param unlisted the addresses that the domain's SPF record does not permit
 * @param streams the addresses from which each stream may be sent
 */
export const unusedOf = (
  unlisted: ReadonlyArray<string>,
  streams: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => {
  const six = unlisted.filter((address) => familyOf(address) === 6)
  const lost = streams.filter((addresses) => addresses.every((address) => six.includes(address))).flat()
  return six.filter((address) => !lost.includes(address))
}

/** FNV-1a with 32 bits, and a final mix. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  // Without this mix, the last characters alone would decide the lowest bits.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

/**
 * The source with the highest weight for a stream (rendezvous hashing). Adding or removing a source moves only that source's
 * share of the streams.
 */
const chosenFor = (stream: string, sources: ReadonlyArray<MailSource>): MailSource => {
  const weightOf = ({ address }: MailSource) => hashOf(`${stream} ${address}`)
  return sources.reduce((best, one) => (weightOf(one) > weightOf(best) ? one : best))
}

/** The pools that a message may use, in order: its own, and those to which it overflows. */
export const poolsFrom = (key: string, { pools }: StoredSources): ReadonlyArray<string> => {
  const found: Array<string> = []
  let next: string | null = key
  while (next !== null && !found.includes(next)) {
    const at: string = next
    found.push(at)
    next = pools.find((pool) => pool.key === at)?.overflow ?? null
  }
  return found
}

/** The lowest warm-up day of the sources from which mail of a pool may be sent; null if none is warmed up. */
export const firstDayOf = (key: string, known: StoredSources): number | null => {
  const keys = poolsFrom(key, known)
  const days = known.sources.flatMap((source) =>
    keys.includes(source.pool) && isUsable(source) && source.warmUp !== null ? [source.warmUp.day] : []
  )
  return days.length === 0 ? null : Math.min(...days)
}

/**
 * The warm-up days of all sources from which mail of a pool may be sent, and for whose shares marketing waits. Empty if one of
 * the sources is not warmed up, since it sends what the others may not.
 */
export const planDaysOf = (key: string, known: StoredSources): ReadonlyArray<number> => {
  const keys = poolsFrom(key, known)
  const usable = known.sources.filter((source) => keys.includes(source.pool) && isUsable(source))
  const days = usable.flatMap(({ warmUp }) => (warmUp === null ? [] : [warmUp.day]))
  return days.length === usable.length ? days : []
}

/**
 * Chooses the source of a message. Sources in warm-up are used up to their shares. Beyond these, the other sources of the pool
 * send, then those of the pools to which it overflows. If there are none, marketing waits.
 */
export const chooseSource = (known: StoredSources, request: ChoiceRequest): SourceChoice => {
  const { families, isHeld, isListed, isMarketing, own, pool, share, stream } = request
  let held: MailSource | null = null
  let warming: ReadonlyArray<MailSource> = []
  let isElsewhere = false
  for (const key of poolsFrom(pool, known)) {
    const inPool = known.sources.filter((source) => source.pool === key)
    const usable = inPool.filter(
      (source) => isUsable(source) && (familyOf(source.address) === 4 || isListed(source))
    )
    const fitting = usable.filter(({ address }) => families === null || families.has(familyOf(address)))
    const here = fitting.filter(({ address }) => hasAddress(own, address))
    const free = here.filter((source) => !isHeld(source))
    const inWarmUp = free.filter(({ warmUp }) => warmUp !== null)
    const withShare = inWarmUp.filter((source) => share(source) === "Free")
    if (withShare.length > 0) return { _tag: "Source", source: chosenFor(stream, withShare) }
    const asked = inWarmUp.filter((source) => share(source) === "Asked")
    if (asked.length > 0) return { _tag: "Asked", source: chosenFor(stream, asked) }
    const active = free.filter(({ warmUp }) => warmUp === null)
    if (active.length > 0) return { _tag: "Source", source: chosenFor(stream, active) }
    if (warming.length === 0) warming = inWarmUp
    held ??= here[0] ?? null
    // The remaining share of a source in warm-up is the same in all processes.
    isElsewhere ||= fitting.some(
      (source) =>
        !here.includes(source) && !isHeld(source) && (source.warmUp === null || inWarmUp.length === 0)
    )
    const isPaused = inPool.some(({ mode }) => mode === "Paused")
    // An installation whose sources cannot send yet continues to send as it does without sources.
    if (key === defaultPool && fitting.length === 0 && !isPaused) return { _tag: "System" }
  }
  if (isElsewhere) return { _tag: "None", pool, isElsewhere }
  if (warming.length > 0) {
    const source = chosenFor(stream, warming)
    if (!isMarketing) return { _tag: "Source", source }
    const until = Math.min(...warming.map((one) => Number(share(one))))
    return { _tag: "Warming", source, until }
  }
  return held === null ? { _tag: "None", pool, isElsewhere } : { _tag: "Held", source: held }
}
