/**
 * Decides the state of sources, and which of them a message leaves from: pure functions.
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

/** How long the result of a check of a reverse name is used while the DNS does not reply, milliseconds. */
const keptReverse = 3 * 86_400_000

/** The state of a source, and why it is `Unready`. */
export interface SourceCondition {
  readonly state: SourceState
  readonly reason: SourceReason | null
}

const isLoopback = (address: string): boolean => address.startsWith("127.")

/** Whether an address is among those of a machine, of which a loopback address stands for all of its network. */
export const hasAddress = (addresses: Iterable<string>, address: string): boolean => {
  for (const one of addresses) if (one === address || (isLoopback(one) && isLoopback(address))) return true
  return false
}

/**
 * Whether a source may send as far as the DNS is concerned. IPv6 needs a confirmed name in any case: large providers refuse
 * it without one.
 */
export const isNamed = ({ address, isForced, reverse }: MailSource): boolean =>
  (isForced && familyOf(address) === 4) || reverse?.isConfirmed === true

/** The state of a source; `addresses` are those that processes have. */
export const conditionOf = (source: MailSource, addresses: Iterable<string>): SourceCondition => {
  if (source.mode !== "Active") return { state: source.mode, reason: null }
  if (!isNamed(source)) return { state: "Unready", reason: "shaping.source_without_ptr" }
  if (!hasAddress(addresses, source.address))
    return { state: "Unready", reason: "shaping.source_without_node" }
  return { state: source.warmUp === null ? "Active" : "Warming", reason: null }
}

/** Whether an unanswered look-up leaves the result of the check before in force. */
export const isStillKnown = ({ reverse }: MailSource, now: number): boolean =>
  reverse !== null && now - reverse.checkedAt < keptReverse

/** Which source a message leaves from. */
export type SourceChoice =
  /** From whichever address the system chooses. */
  | { readonly _tag: "System" }
  | { readonly _tag: "Source"; readonly source: MailSource }
  /** From one whose mail is held: every other is as well. */
  | { readonly _tag: "Held"; readonly source: MailSource }
  /** From one whose share of the day's messages is asked for. */
  | { readonly _tag: "Asked"; readonly source: MailSource }
  /** From one whose share is used up until a time, epoch milliseconds: no other may send. */
  | { readonly _tag: "Warming"; readonly source: MailSource; readonly until: number }
  /** From none here: another process has the address, or nothing has. */
  | { readonly _tag: "None"; readonly pool: string; readonly isElsewhere: boolean }

/** What the choice for a message depends on. */
export interface ChoiceRequest {
  /** The key of the pool that the message's account chose for its stream. */
  readonly pool: string
  /** What keeps its address: the same sources give the same one. */
  readonly stream: string
  /** The families of the servers' addresses; null for not known. */
  readonly families: ReadonlySet<AddressFamily> | null
  /** The addresses of this process's machine. */
  readonly own: Iterable<string>
  /** Whether mail from the source is held. */
  readonly isHeld: (source: MailSource) => boolean
  /** Whether a source that is warmed up has a share left. */
  readonly share: (source: MailSource) => ShareState
  /** Whether it waits for a share: only marketing does. */
  readonly isMarketing: boolean
  /** Whether the SPF record of the message's return path lets an IPv6 source pass. */
  readonly isListed: (source: MailSource) => boolean
}

/** Whether mail of pools may leave from a source that has what it needs of the DNS. */
const isUsable = (source: MailSource): boolean => source.mode === "Active" && isNamed(source)

/**
 * The IPv6 sources of a pool and of those that take its mail: they are used only where the SPF record of the message's return
 * path lets them pass, since large providers refuse IPv6 that is not authenticated. IPv4 sources go without.
 */
export const sourcesNeedingSpf = (key: string, known: StoredSources): ReadonlyArray<MailSource> => {
  const six = known.sources.filter((source) => familyOf(source.address) === 6 && isUsable(source))
  if (six.length === 0) return six
  const keys = poolsFrom(key, known)
  return six.filter(({ pool }) => keys.includes(pool))
}

/**
 * The IPv6 addresses that send nothing of a domain whose SPF record does not let them pass: those without which every stream has
 * another address.
 *
 * @param unlisted the addresses that the record does not let pass
 * @param streams the addresses that each stream may leave from
 */
export const unusedOf = (
  unlisted: ReadonlyArray<string>,
  streams: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => {
  const six = unlisted.filter((address) => familyOf(address) === 6)
  const lost = streams.filter((addresses) => addresses.every((address) => six.includes(address))).flat()
  return six.filter((address) => !lost.includes(address))
}

/** FNV-1a, 32 bits. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  // The last characters alone would decide the lowest bits.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** The source of highest weight for a stream: a source that is added or removed moves its own part of the streams alone. */
const chosenFor = (stream: string, sources: ReadonlyArray<MailSource>): MailSource => {
  const weightOf = ({ address }: MailSource) => hashOf(`${stream} ${address}`)
  return sources.reduce((best, one) => (weightOf(one) > weightOf(best) ? one : best))
}

/** The pools that a message may use, in order: its own, and those that take what it cannot send. */
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

/** The first day of a warm-up in which a source is that mail of a pool may leave from; null for none. */
export const firstDayOf = (key: string, known: StoredSources): number | null => {
  const keys = poolsFrom(key, known)
  const days = known.sources.flatMap((source) =>
    keys.includes(source.pool) && isUsable(source) && source.warmUp !== null ? [source.warmUp.day] : []
  )
  return days.length === 0 ? null : Math.min(...days)
}

/**
 * The days of the plans of all sources that mail of a pool may leave from: marketing waits for their shares. Empty where one of
 * them is not warmed up, and sends what the others do not.
 */
export const planDaysOf = (key: string, known: StoredSources): ReadonlyArray<number> => {
  const keys = poolsFrom(key, known)
  const usable = known.sources.filter((source) => keys.includes(source.pool) && isUsable(source))
  const days = usable.flatMap(({ warmUp }) => (warmUp === null ? [] : [warmUp.day]))
  return days.length === usable.length ? days : []
}

/**
 * Chooses the source of a message. One that is warmed up takes its share first; beyond it the others send, those of the
 * pools that overflow take it, and where there is none, marketing waits.
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
    // What one that is warmed up has left is the same everywhere.
    isElsewhere ||= fitting.some(
      (source) =>
        !here.includes(source) && !isHeld(source) && (source.warmUp === null || inWarmUp.length === 0)
    )
    const isPaused = inPool.some(({ mode }) => mode === "Paused")
    // An installation whose sources cannot send yet goes on as without them.
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
