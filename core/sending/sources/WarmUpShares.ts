/**
 * The part that a process has of what sources may send while they are warmed up, and what it has to report of them. It takes
 * shares for a minute, several at a time, so that a message costs no statement, and gives back what it did not use.
 *
 * @module
 */
import { type MailSource, noCounts, type SourceCounts, type SourceDayKey } from "../../model/Source.ts"
import {
  added,
  bucketsOf,
  capOf,
  dayOf,
  groupOf,
  limitsOf,
  minuteOf,
  type ShareGrant,
  type ShareLimits,
  type ShareRequest
} from "./WarmUpRules.ts"

const hourMillis = 3_600_000
/** The most buckets, and messages that have a share, that are known. */
const maxBuckets = 20_000
const maxReserved = 20_000

/** Multiples of it, without their whole parts, are spread evenly however many there are. */
const goldenSection = 0.618_033_988_75

/** Whether a source's share has room: it has, it is asked for, or until when it has none, epoch milliseconds. */
export type ShareState = "Free" | "Asked" | number

/** What a process has of a bucket. */
interface Bucket {
  readonly key: SourceDayKey
  limits: ShareLimits
  /** The minute in which its share may be used, and the messages left of it. */
  minute: number
  left: number
  /** How many messages asked in vain since. */
  wanted: number
  beyond: number
  counts: SourceCounts
  /** When there may be more, epoch milliseconds. */
  nextAt: number
}

/** The share of a message: the buckets that it counts in, and the minute of each; null where it is beyond. */
interface Reserved {
  readonly source: string
  readonly lane: string
  readonly parts: ReadonlyArray<{ readonly bucket: Bucket; readonly minute: number | null }>
}

/** A bucket's report to the store. */
export interface Reported {
  readonly key: SourceDayKey
  readonly request: ShareRequest
}

const keyText = ({ bucket, day, sourceId }: SourceDayKey): string => `${sourceId} ${day} ${bucket}`

/** The shares of sources that a process has. */
export class WarmUpShares {
  readonly #buckets = new Map<string, Bucket>()
  readonly #reserved = new Map<string, Reserved>()
  /** When the last message waits until that was given a time, by source and group, epoch milliseconds. */
  readonly #lastAt = new Map<string, number>()
  /** The part of an hour by which the last one was spread that waits longer. */
  #spread = 0

  #bucket(sourceId: string, bucket: string, limits: ShareLimits, now: number): Bucket {
    const key = { sourceId, day: dayOf(now), bucket }
    const text = keyText(key)
    const found = this.#buckets.get(text)
    if (found !== undefined) {
      found.limits = limits
      return found
    }
    const blank = { minute: 0, left: 0, wanted: 0, beyond: 0, counts: noCounts, nextAt: 0 }
    const made: Bucket = { key, limits, ...blank }
    keep(this.#buckets, text, made, maxBuckets)
    return made
  }

  #of({ id, warmUp }: MailSource, lane: string, now: number): ReadonlyArray<Bucket> {
    return warmUp === null
      ? []
      : bucketsOf(lane, warmUp.day).map(({ bucket, limits }) => this.#bucket(id, bucket, limits, now))
  }

  /** Whether a message may take a share of a source on a lane. */
  state(message: string, source: MailSource, lane: string, now: number): ShareState {
    const reserved = this.#reserved.get(message)
    if (reserved?.source === source.id && reserved.lane === lane) return "Free"
    const full = this.#of(source, lane, now).filter((bucket) => !isFree(bucket, now))
    if (full.length === 0) return "Free"
    return full.some(({ nextAt }) => nextAt <= now) ? "Asked" : Math.max(...full.map(({ nextAt }) => nextAt))
  }

  /** Asks for a share of a source on a lane. */
  ask(source: MailSource, lane: string, now: number): void {
    for (const bucket of this.#of(source, lane, now)) if (!isFree(bucket, now)) bucket.wanted++
  }

  /** Takes the share of a message, or sends it beyond; it has one of one source and lane at a time. */
  take(message: string, source: MailSource, lane: string, now: number): void {
    const known = this.#reserved.get(message)
    if (known?.source === source.id && known.lane === lane) return
    this.giveBack(message)
    const buckets = this.#of(source, lane, now)
    if (buckets.length === 0) return
    const parts = buckets.map((bucket) => {
      if (!isFree(bucket, now)) return { bucket, minute: null }
      bucket.left--
      return { bucket, minute: bucket.minute }
    })
    keep(this.#reserved, message, { source: source.id, lane, parts }, maxReserved)
  }

  /** Gives back the share of a message that was not sent. */
  giveBack(message: string): void {
    for (const { bucket, minute } of this.#reserved.get(message)?.parts ?? [])
      if (bucket.minute === minute) bucket.left++
    this.#reserved.delete(message)
  }

  /** Counts a message that was sent, and what became of it. */
  sent(message: string, sourceId: string, lane: string, counts: Partial<SourceCounts>, now: number): void {
    for (const { bucket, minute } of this.#reserved.get(message)?.parts ?? [])
      if (minute === null) bucket.beyond++
    this.#reserved.delete(message)
    this.count(sourceId, lane, { sent: 1, ...counts }, now)
  }

  /** Counts what is reported of messages. */
  count(sourceId: string, lane: string, counts: Partial<SourceCounts>, now: number): void {
    const group = groupOf(lane)
    const known = this.#buckets.get(keyText({ sourceId, day: dayOf(now), bucket: group }))
    const bucket = known ?? this.#bucket(sourceId, group, limitsOf(capOf(1)), now)
    bucket.counts = added(bucket.counts, counts)
  }

  /**
   * Until when a message waits: one after another as fast as the share of the source allows, for an hour; those after them spread
   * over the hour that follows, however many there are.
   */
  waitUntil(source: MailSource, lane: string, until: number): number {
    const [{ limits } = { limits: limitsOf(capOf(1)) }] = bucketsOf(lane, source.warmUp?.day ?? 1)
    const key = `${source.id} ${groupOf(lane)}`
    const last = this.#lastAt.get(key) ?? 0
    const next = last > until + 2 * hourMillis ? until : Math.max(until, last + hourMillis / limits.hour)
    keep(this.#lastAt, key, Math.min(next, until + hourMillis), maxBuckets)
    if (next < until + hourMillis) return Math.ceil(next)
    this.#spread = (this.#spread + goldenSection) % 1
    return until + hourMillis + Math.floor(this.#spread * hourMillis)
  }

  /** Whether messages wait for an answer of the store. */
  isAsking(now: number): boolean {
    for (const bucket of this.#buckets.values()) if (asks(bucket, now)) return true
    return false
  }

  /** Takes out what there is to report and to ask for. */
  reports(now: number): ReadonlyArray<Reported> {
    const found: Array<Reported> = []
    for (const [text, bucket] of this.#buckets) {
      const { beyond, counts, key, left, limits, minute, wanted } = bucket
      const isOver = minute < minuteOf(now)
      const asked = asks(bucket, now) ? wanted : 0
      const unused = isOver && left > 0 ? { minute, count: left } : null
      if (asked === 0 && unused === null && beyond === 0 && counts === noCounts) {
        if (isOver && bucket.nextAt <= now) this.#buckets.delete(text)
        continue
      }
      found.push({ key, request: { limits, wanted: asked, unused, beyond, counts } })
      if (unused !== null) bucket.left = 0
      bucket.wanted = 0
      bucket.beyond = 0
      bucket.counts = noCounts
    }
    return found
  }

  /** Takes over what the store has once it has a report. */
  settle(
    { key, request: { wanted } }: Reported,
    { granted, nextAt }: Omit<ShareGrant, "row">,
    at: number
  ): void {
    const bucket = this.#buckets.get(keyText(key))
    if (bucket === undefined) return
    if (wanted > 0) {
      const minute = minuteOf(at)
      bucket.left = (bucket.minute === minute ? bucket.left : 0) + granted
      bucket.minute = minute
    }
    bucket.nextAt = nextAt
  }

  /** Takes back a report that the store did not get. */
  undo({ key, request }: Reported): void {
    const bucket = this.#buckets.get(keyText(key))
    if (bucket === undefined) return
    bucket.wanted += request.wanted
    bucket.beyond += request.beyond
    bucket.counts = added(bucket.counts, request.counts)
    if (request.unused?.minute === bucket.minute) bucket.left += request.unused.count
  }
}

const isFree = ({ left, minute }: Bucket, now: number): boolean => left > 0 && minute === minuteOf(now)

const asks = ({ key, nextAt, wanted }: Bucket, now: number): boolean =>
  wanted > 0 && nextAt <= now && key.day === dayOf(now)

/** Sets an entry of a map that is bounded: the oldest leaves. */
const keep = <Value>(map: Map<string, Value>, key: string, value: Value, most: number): void => {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value!)
}
