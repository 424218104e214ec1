/**
 * The shares that a process has of sources in warm-up, and the counts that it must report. The process takes shares for a
 * minute, several at a time, so that a message costs no statement, and gives back what it did not use.
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
/** The maximum number of buckets, and of messages with a share, that are kept. */
const maxBuckets = 20_000
const maxReserved = 20_000

/** The fractional parts of its multiples are spread evenly, however many there are. */
const goldenSection = 0.618_033_988_75

/** Whether a source's share has room: it has, it was requested, or the time until which it has none, epoch milliseconds. */
export type ShareState = "Free" | "Asked" | number

/** The share that a process has of a bucket. */
interface Bucket {
  readonly key: SourceDayKey
  limits: ShareLimits
  /** The minute in which the share may be used, and the number of messages left in it. */
  minute: number
  left: number
  /** The number of messages that have asked without success since. */
  wanted: number
  beyond: number
  counts: SourceCounts
  /** When a further share may be available, epoch milliseconds. */
  nextAt: number
}

/** The share of a message: the buckets in which it counts, and the minute of each; null if it exceeds the bucket's share. */
interface Reserved {
  readonly source: string
  readonly lane: string
  readonly parts: ReadonlyArray<{ readonly bucket: Bucket; readonly minute: number | null }>
}

/** A report about a bucket to be written to the database. */
export interface Reported {
  readonly key: SourceDayKey
  readonly request: ShareRequest
}

const keyText = ({ bucket, day, sourceId }: SourceDayKey): string => `${sourceId} ${day} ${bucket}`

/** The shares of sources that a process has. */
export class WarmUpShares {
  readonly #buckets = new Map<string, Bucket>()
  readonly #reserved = new Map<string, Reserved>()
  /** The time until which the last message that got a slot waits, by source and group, epoch milliseconds. */
  readonly #lastAt = new Map<string, number>()
  /** The fraction of an hour by which the last message with a longer wait was spread. */
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

  /**
   * Takes a share for a message, or records that it exceeds the shares. A message has the share of one source and lane at a
   * time.
   */
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

  /** Counts a message that was sent, and its result. */
  sent(message: string, sourceId: string, lane: string, counts: Partial<SourceCounts>, now: number): void {
    for (const { bucket, minute } of this.#reserved.get(message)?.parts ?? [])
      if (minute === null) bucket.beyond++
    this.#reserved.delete(message)
    this.count(sourceId, lane, { sent: 1, ...counts }, now)
  }

  /** Counts later reports about messages. */
  count(sourceId: string, lane: string, counts: Partial<SourceCounts>, now: number): void {
    const group = groupOf(lane)
    const known = this.#buckets.get(keyText({ sourceId, day: dayOf(now), bucket: group }))
    const bucket = known ?? this.#bucket(sourceId, group, limitsOf(capOf(1)), now)
    bucket.counts = added(bucket.counts, counts)
  }

  /**
   * Until when a message waits. Within an hour after `until`, messages are spaced at the rate of the source's share. All
   * further messages are spread over the following hour, however many there are.
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

  /** Whether messages wait for the grant of a share. */
  isAsking(now: number): boolean {
    for (const bucket of this.#buckets.values()) if (asks(bucket, now)) return true
    return false
  }

  /** Removes and returns what must be reported and requested. */
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

  /** Applies the grant for a report that was written. */
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

  /** Restores a report that could not be written. */
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

/** Sets an entry of a bounded map. If the map is full, the oldest entry is dropped. */
const keep = <Value>(map: Map<string, Value>, key: string, value: Value, most: number): void => {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value!)
}
