/**
 * The state of lanes, besides their connections, that processes share: their paces, and the rejections that count together. A
 * message costs no statement. A turn is the permission to send one message at a lane's pace, a token of a token bucket. Turns
 * are leased for seconds, in the statements that lease places, and the rest is written with them.
 *
 * @module
 */
import type { LaneMemory } from "../../kernel/LaneShares.ts"
import {
  addressLane,
  currentlyStated,
  type LaneOverride,
  type Marks,
  type Pace,
  rateAt,
  type SharedLane,
  type SharedPace,
  type StatedLimits
} from "../../model/Lane.ts"
import { laneWithoutSource } from "../../model/Source.ts"
import { renewMillis } from "./LeaseRules.ts"

const minute = 60_000
/** How long turns may be used after they were leased, milliseconds. */
const usableMillis = 2 * renewMillis
/** The maximum number of kinds of rejections of a lane, and how long they are kept, milliseconds. */
const maxKinds = 50
const markMillis = 120 * minute
const maxLanes = 10_000

/**
 * The fraction of the allowed connections per minute at which connections are opened if all processes share the limit. It
 * leaves a margin: leased turns may be used ten seconds later, and the clocks of processes may differ by five seconds.
 */
const openingPart = 0.75
/** How long turns for connections are requested at most, milliseconds. The time is extended while they are used. */
const openingMillis = 24 * 60 * minute

const openings = addressLane("openings of ")

/** The lane whose connections are limited by the turns of a lane with this name; null for any other name. */
export const openedLane = (name: string): string | null =>
  name.startsWith(openings) ? name.slice(openings.length) : null

/** The pace of a lane from a time on. */
interface PaceChange {
  readonly pace: Pace | null
  readonly at: number
}

/** What a process has to write of a lane, and how many turns it asks for. */
export interface MemoryRequest {
  readonly change: PaceChange | null
  readonly marks: Marks
  readonly turns: number
}

/** The largest difference between the clocks of two processes, in milliseconds. Each may be wrong by five seconds. */
const clockSpread = 10_000

/** The maximum number of turns at a time: those of the seconds until the next lease. */
const burstOf = (rate: number): number => Math.max(1, (rate * renewMillis) / minute)

const refilled = (pace: SharedPace, now: number): SharedPace => {
  const rate = rateAt(pace, now)
  const added = (rate * Math.max(0, now - pace.tokensAt)) / minute
  // The clock of another process may be ahead. No period is counted twice, unless the clock was set back.
  const tokensAt = pace.tokensAt > now + clockSpread ? now : Math.max(pace.tokensAt, now)
  return { ...pace, tokens: Math.min(burstOf(rate), pace.tokens + added), tokensAt }
}

/** The turns with which a new pace begins: one, or the fraction of a turn that the previous pace has accumulated. */
const firstTurns = (before: SharedPace | null, since: number): number =>
  before === null || before.until <= since ? 1 : Math.min(1, refilled(before, since).tokens)

const mergedMarks = (marks: Marks, added: Marks, now: number): Marks => {
  const merged = new Map(Object.entries(marks))
  for (const [kind, times] of Object.entries(added)) {
    merged.delete(kind)
    merged.set(kind, times)
  }
  return Object.fromEntries(
    [...merged].filter(([, times]) => (times.at(-1) ?? 0) > now - markMillis).slice(-maxKinds)
  )
}

/** Returns a lane after a process reported its state, and the number of turns that the process gets. */
export const remembered = (
  lane: SharedLane,
  { change, marks, turns }: MemoryRequest,
  now: number
): { readonly lane: SharedLane; readonly turns: number } => {
  const isNewer = change !== null && change.at > (lane.pace?.since ?? 0)
  const set = !isNewer
    ? lane.pace
    : change.pace === null
      ? null
      : {
          ...change.pace,
          tokens: firstTurns(lane.pace, change.pace.since),
          tokensAt: Math.max(change.pace.since, lane.pace?.tokensAt ?? 0)
        }
  const pace = set === null || set.until <= now ? null : refilled(set, now)
  const given = pace === null || pace.notBefore > now ? 0 : Math.min(turns, Math.floor(pace.tokens))
  return {
    lane: {
      ...lane,
      pace: pace === null ? null : { ...pace, tokens: pace.tokens - given },
      marks: mergedMarks(lane.marks, marks, now)
    },
    turns: given
  }
}

/** The turns that a process has at the pace of a lane. */
interface Turns {
  left: number
  until: number
  /** The number of messages that have asked without success since. */
  wanted: number
  /** When more turns may be available, epoch milliseconds. */
  nextAt: number
}

/** The shared state that a process has a copy of. */
export class LaneMemories implements Omit<
  LaneMemory,
  "acceptedAt" | "reach" | "refresh" | "restore" | "sites" | "unreached"
> {
  readonly #asks: (lane: string) => void
  readonly #paces = new Map<string, PaceChange>()
  readonly #changes = new Map<string, PaceChange>()
  readonly #turns = new Map<string, Turns>()
  readonly #marks = new Map<string, Marks>()
  readonly #newMarks = new Map<string, Record<string, ReadonlyArray<number>>>()
  readonly #stated = new Map<string, StatedLimits>()
  /** Until when connections must be encrypted, by lane without its source. */
  readonly #encrypted = new Map<string, number>()
  #overrides: ReadonlyMap<string, LaneOverride> = new Map()

  /** @param asks has the lane written to the database soon */
  constructor(asks: (lane: string) => void) {
    this.#asks = asks
  }

  paceOf(lane: string): Pace | null {
    return this.#paces.get(lane)?.pace ?? null
  }

  setPace(lane: string, pace: Pace | null, at: number): void {
    const known = this.#paces.get(lane)
    if (known === undefined ? pace === null : known.at >= at) return
    keep(this.#paces, lane, { pace, at })
    this.#changes.set(lane, { pace, at })
    this.#turns.delete(lane)
    this.#asks(lane)
  }

  take(lane: string, now: number): number | null {
    const pace = this.paceOf(lane)
    if (pace === null || pace.until <= now) return null
    if (pace.notBefore > now) return pace.notBefore
    const turns = this.#turns.get(lane) ?? { left: 0, until: 0, wanted: 0, nextAt: now }
    if (turns.left > 0 && turns.until > now) {
      turns.left--
      return null
    }
    turns.wanted++
    keep(this.#turns, lane, turns)
    if (turns.nextAt <= now) this.#asks(lane)
    return Math.max(turns.nextAt, now + 1_000)
  }

  /**
   * Takes a turn to open a connection. Without one, returns when to ask again. All processes together open at most `perMinute`
   * connections in any minute.
   */
  takeOpening(lane: string, perMinute: number, now: number): number | null {
    const name = `${openings}${lane}`
    const pace = this.paceOf(name)
    const rate = openingPart * perMinute
    if (pace?.perMinute !== rate || pace.until - now < openingMillis / 2)
      this.setPace(
        name,
        { perMinute: rate, growth: 1, since: now, until: now + openingMillis, notBefore: 0 },
        now
      )
    return this.take(name, now)
  }

  marksOf(lane: string, kind: string): ReadonlyArray<number> {
    return this.#newMarks.get(lane)?.[kind] ?? this.#marks.get(lane)?.[kind] ?? []
  }

  setMarks(lane: string, kind: string, times: ReadonlyArray<number>): void {
    this.#newMarks.set(lane, { ...this.#newMarks.get(lane), [kind]: times })
    this.#asks(lane)
  }

  overrideOf(lane: string, now: number): LaneOverride | null {
    const site = laneWithoutSource(lane)
    const found = this.#overrides.get(site) ?? this.#overrides.get(site.split(":", 1)[0]!)
    return found === undefined || (found.until ?? Infinity) <= now ? null : found
  }

  statedOf(lane: string, now: number): StatedLimits {
    return currentlyStated(this.#stated.get(lane) ?? {}, now)
  }

  isEncrypted(lane: string, now: number): boolean {
    return (this.#encrypted.get(laneWithoutSource(lane)) ?? 0) > now
  }

  /** Adapts the times of the memories after the clock of the process was set back. */
  moveBack(millis: number): void {
    for (const turns of this.#turns.values()) {
      turns.until -= millis
      turns.nextAt -= millis
    }
  }

  /** Records the limits that servers of a lane stated. */
  noteStated(lane: string, stated: StatedLimits): void {
    if (Object.keys(stated).length === 0) {
      this.#stated.delete(lane)
      return
    }
    keep(this.#stated, lane, stated)
    const { encryptedUntil = 0 } = stated
    const site = laneWithoutSource(lane)
    if (encryptedUntil > (this.#encrypted.get(site) ?? 0)) keep(this.#encrypted, site, encryptedUntil)
  }

  /** Replaces the overrides of all lanes. */
  override(rows: ReadonlyArray<Pick<SharedLane, "lane" | "override">>): void {
    this.#overrides = new Map(
      rows.flatMap(({ lane, override }) => (override === null ? [] : [[lane, override] as const]))
    )
  }

  /** Whether turns of a lane are wanted and may be available now, or anything of the lane must be written. */
  isAsking(lane: string, now: number): boolean {
    const turns = this.#turns.get(lane)
    return (
      this.#changes.has(lane) ||
      this.#newMarks.has(lane) ||
      (turns !== undefined && turns.wanted > 0 && turns.nextAt <= now)
    )
  }

  /** What must be written of a lane, and the number of turns wanted. */
  request(lane: string): MemoryRequest {
    return {
      change: this.#changes.get(lane) ?? null,
      marks: this.#newMarks.get(lane) ?? {},
      turns: this.#turns.get(lane)?.wanted ?? 0
    }
  }

  /** Takes over the lane as it was written to the database. */
  settle(row: SharedLane, given: MemoryRequest, turns: number, now: number): void {
    const { change, marks } = given
    const { lane, pace } = row
    if (this.#changes.get(lane) === change) this.#changes.delete(lane)
    if (this.#newMarks.get(lane) === marks) this.#newMarks.delete(lane)
    this.learn(row)
    if (pace === null) {
      this.#turns.delete(lane)
      return
    }
    if (given.turns === 0) return
    const rate = rateAt(pace, now)
    const missing = Math.max(0, 1 - pace.tokens)
    const nextAt = turns > 0 ? now : Math.max(pace.notBefore, now + Math.ceil((missing * minute) / rate))
    keep(this.#turns, lane, { left: turns, until: now + usableMillis, wanted: 0, nextAt })
  }

  /** Takes over what another process wrote. */
  learn({ lane, marks, pace, stated }: SharedLane): void {
    this.noteStated(lane, stated)
    if (!this.#changes.has(lane)) {
      if (pace === null) this.#paces.delete(lane)
      else keep(this.#paces, lane, { pace, at: pace.since })
    }
    if (Object.keys(marks).length === 0) this.#marks.delete(lane)
    else keep(this.#marks, lane, marks)
  }
}

/** Sets an entry of a bounded map. If the map is full, the oldest entry is dropped. */
const keep = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
  map.delete(key)
  map.set(key, value)
  if (map.size > maxLanes) map.delete(map.keys().next().value!)
}
