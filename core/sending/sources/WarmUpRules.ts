/**
 * Decides how much a source in warm-up may send, and how its plan advances: pure functions. The plan is data, `warmup.json`:
 * messages a day to each group of providers.
 *
 * @module
 */
import { Schema } from "effect"
import {
  laneWithoutSource,
  noCounts,
  type SourceCounts,
  sourceCounts,
  type SourceDay,
  type WarmUp
} from "../../model/Source.ts"
import { formatDateTime } from "../../shared/Validate.ts"
import planJson from "./warmup.json" with { type: "json" }

const plan = Schema.decodeUnknownSync(
  Schema.Struct({
    source: Schema.String,
    asOf: Schema.String,
    days: Schema.NonEmptyArray(Schema.Int),
    engaged: Schema.Array(Schema.Struct({ until: Schema.Int, days: Schema.Int })),
    groups: Schema.Array(Schema.Struct({ key: Schema.String, providers: Schema.Array(Schema.String) }))
  })
)(planJson)

/** The group of all providers and sites that belong to no other group. */
const others = "other"

/** The groups of providers. The plan's messages a day apply to each of them. */
export const warmUpGroups: ReadonlyArray<string> = [...plan.groups.map(({ key }) => key), others]

/** The maximum number of messages to each group, by the days of the plan. */
export const warmUpCaps: ReadonlyArray<number> = plan.days

/** The number of days of the plan. */
export const warmUpDays = warmUpCaps.length

/** The largest share of a day's messages to the group `other` that a single site gets. */
const siteShare = 1 / 4
/** The largest share of a day's messages in an hour, and of an hour's messages in a minute. */
const hourShare = 1 / 12
const minuteShare = 1 / 20
/** The smallest share of a minute's messages that a process takes at a time. */
const sliceShare = 1 / 10

const dayMillis = 86_400_000
const hourMillis = 3_600_000
const minuteMillis = 60_000

/** The day of a time, UTC, `YYYY-MM-DD`. */
export const dayOf = (at: number): string => formatDateTime(at).slice(0, 10)

/** The group of a lane. */
export const groupOf = (lane: string): string => {
  const [provider = ""] = laneWithoutSource(lane).split(":", 1)
  return plan.groups.find(({ providers }) => providers.includes(provider))?.key ?? others
}

/** The number of messages to each group on a day of the plan. */
export const capOf = (day: number): number => warmUpCaps[Math.min(Math.max(day, 1), warmUpDays) - 1]!

/**
 * After how many days sources in warm-up, each at a given day of the plan, have sent this many messages to one group of
 * providers, if each day counts; 0 without sources.
 */
export const daysOfWarmUp = (count: number, days: ReadonlyArray<number>): number => {
  let left = days.length === 0 ? 0 : count
  for (let passed = 0; ; passed++) {
    for (const day of days) left -= day + passed > warmUpDays ? Infinity : capOf(day + passed)
    if (left <= 0) return passed
  }
}

/**
 * On a day of the plan, people who opened or clicked since this time (epoch milliseconds) get marketing first; null if all
 * people get it together.
 */
export const engagedSince = (day: number, now: number): number | null => {
  const found = plan.engaged.find(({ until }) => day <= until)
  return found === undefined ? null : now - found.days * dayMillis
}

/** The maximum number of messages in a bucket, in a day, in an hour of it and in a minute. */
export interface ShareLimits {
  readonly day: number
  readonly hour: number
  readonly minute: number
}

/** The buckets in which a message to a lane counts, with their limits on a day of the plan. */
export const bucketsOf = (
  lane: string,
  day: number
): ReadonlyArray<{ readonly bucket: string; readonly limits: ShareLimits }> => {
  const group = groupOf(lane)
  const cap = capOf(day)
  const whole = { bucket: group, limits: limitsOf(cap) }
  return group === others
    ? [whole, { bucket: laneWithoutSource(lane), limits: limitsOf(Math.floor(cap * siteShare)) }]
    : [whole]
}

/** The limits for a number of messages a day. */
export const limitsOf = (cap: number): ShareLimits => {
  const hour = Math.max(1, Math.floor(cap * hourShare))
  return { day: cap, hour, minute: Math.max(1, Math.floor(hour * minuteShare)) }
}

/** The sum of counts. */
export const added = (counts: SourceCounts, more: Partial<SourceCounts>): SourceCounts =>
  Object.fromEntries(sourceCounts.map((name) => [name, counts[name] + (more[name] ?? 0)])) as SourceCounts

/** A report of a process about a bucket, and its request for a share. */
export interface ShareRequest {
  readonly limits: ShareLimits
  /** The number of messages that ask for a share. */
  readonly wanted: number
  /** The unused part of the share that the process took in a minute. */
  readonly unused: { readonly minute: number; readonly count: number } | null
  /** The number of messages sent without a share, which are transactional. */
  readonly beyond: number
  readonly counts: Partial<SourceCounts>
}

/** The grant of a share to a process. */
export interface ShareGrant {
  readonly row: SourceDay
  readonly granted: number
  /** When a further share may be available, epoch milliseconds. */
  readonly nextAt: number
}

/** The number of the minute of a time, since the epoch. */
export const minuteOf = (at: number): number => Math.floor(at / minuteMillis)

/**
 * Returns a bucket after a report and a request. The process is granted what the limits of the day, the hour and the minute
 * leave.
 */
export const afterRequest = (row: SourceDay, request: ShareRequest, now: number): ShareGrant => {
  const { beyond, counts, limits, unused, wanted } = request
  const back = unused?.count ?? 0
  // The clocks of processes differ by seconds. The time of a bucket does not go backwards.
  const minute = Math.max(row.minute, minuteOf(now))
  const hour = Math.max(row.hour, Math.floor(now / hourMillis))
  const isOfMinute = unused !== null && unused.minute === row.minute
  const isOfHour = unused !== null && Math.floor(unused.minute / 60) === row.hour
  const taken = row.taken - back + beyond
  const hourTaken = row.hour === hour ? row.hourTaken - (isOfHour ? back : 0) + beyond : beyond
  const minuteTaken = row.minute === minute ? row.minuteTaken - (isOfMinute ? back : 0) + beyond : beyond
  const left = [
    [limits.day - taken, (Math.floor(now / dayMillis) + 1) * dayMillis],
    [limits.hour - hourTaken, (hour + 1) * hourMillis],
    [limits.minute - minuteTaken, (minute + 1) * minuteMillis]
  ] as const
  const free = Math.max(0, Math.min(...left.map(([count]) => count)))
  const granted = wanted === 0 ? 0 : Math.min(free, Math.max(wanted, Math.ceil(limits.minute * sliceShare)))
  // If the day's limit is used up, the end of the day counts, not that of the hour.
  const [, nextAt = now] = left.find(([count]) => count - granted <= 0) ?? []
  return {
    row: {
      ...row,
      taken: taken + granted,
      hour,
      hourTaken: hourTaken + granted,
      minute,
      minuteTaken: minuteTaken + granted,
      ...added(row, counts)
    },
    granted,
    nextAt
  }
}

/** A day counts from this share of its messages to one group. */
const countsFrom = 1 / 4
/** A day is repeated from these shares of its messages on. */
const bounds: Readonly<Partial<Record<keyof SourceCounts, number>>> = {
  policy: 0.01,
  deferred: 0.05,
  bounced: 0.02,
  complained: 0.001
}
/** The number of days by which a block moves the plan back. */
const daysBack = 3
/** After this many days with fewer messages, a source has lost its reputation; and the share of the plan that remains. */
export const quietDays = 30
const quietMessages = 100
const quietShare = 1 / 3

/** The state at the start of a warm-up. */
export const warmUpFrom = (day: number, now: number): WarmUp => ({
  day,
  on: dayOf(now),
  startedAt: now,
  movedBackAt: null
})

const sumOf = (days: ReadonlyArray<SourceDay>): SourceCounts => days.reduce<SourceCounts>(added, noCounts)

/** Whether a day of a warm-up counts: enough was sent to one group, and servers accepted it well. */
export const isCounted = ({ day, movedBackAt, on }: WarmUp, days: ReadonlyArray<SourceDay>): boolean => {
  const ofDay = days.filter((one) => one.day === on)
  const sum = sumOf(ofDay)
  return (
    ofDay.some(({ sent }) => sent >= capOf(day) * countsFrom) &&
    (movedBackAt === null || dayOf(movedBackAt) !== on) &&
    sourceCounts.every((name) => sum[name] < (bounds[name] ?? Infinity) * sum.sent)
  )
}

/**
 * The warm-up after the day whose counts decide has ended; null once all days of the plan have counted.
 *
 * @param days the counts by group within `quietDays` days
 */
export const afterDay = (warmUp: WarmUp, days: ReadonlyArray<SourceDay>, now: number): WarmUp | null => {
  const on = dayOf(now)
  if (warmUp.on >= on) return warmUp
  if (isCounted(warmUp, days)) return warmUp.day >= warmUpDays ? null : { ...warmUp, day: warmUp.day + 1, on }
  const since = now - quietDays * dayMillis
  const isQuiet =
    Math.max(warmUp.startedAt, warmUp.movedBackAt ?? 0) <= since &&
    sumOf(days.filter(({ day }) => day >= dayOf(since))).sent < quietMessages
  return isQuiet
    ? { ...warmUp, day: Math.max(1, Math.floor(warmUp.day * quietShare)), on, movedBackAt: now }
    : { ...warmUp, on }
}

/** The warm-up after a provider blocked the source at a time. Several blocks on one day count once. */
export const afterBlock = (warmUp: WarmUp, at: number): WarmUp =>
  warmUp.movedBackAt !== null && dayOf(warmUp.movedBackAt) >= dayOf(at)
    ? warmUp
    : { ...warmUp, day: Math.max(1, warmUp.day - daysBack), movedBackAt: at }
