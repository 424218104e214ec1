/**
 * Decides how much a source may send while it is warmed up, and how its plan goes on: pure functions. The plan is data,
 * `warmup.json`: messages a day to each group of providers.
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

/** The group of all providers and sites that no other has. */
const others = "other"

/** The groups of providers that each have the plan's messages a day. */
export const warmUpGroups: ReadonlyArray<string> = [...plan.groups.map(({ key }) => key), others]

/** The most messages to each group, by the days of the plan. */
export const warmUpCaps: ReadonlyArray<number> = plan.days

/** The days of the plan. */
export const warmUpDays = warmUpCaps.length

/** The part of a day's messages to the other providers that one site gets at most. */
const siteShare = 1 / 4
/** The parts of a day's messages that an hour, and of an hour's that a minute has at most. */
const hourShare = 1 / 12
const minuteShare = 1 / 20
/** The part of a minute's messages that a process takes at least at a time. */
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

/** The messages of a day of the plan to each group. */
export const capOf = (day: number): number => warmUpCaps[Math.min(Math.max(day, 1), warmUpDays) - 1]!

/**
 * After how many days sources that are warmed up, each at a day of the plan, have sent so many messages to one group of providers,
 * if each day counts; 0 without sources.
 */
export const daysOfWarmUp = (count: number, days: ReadonlyArray<number>): number => {
  let left = days.length === 0 ? 0 : count
  for (let passed = 0; ; passed++) {
    for (const day of days) left -= day + passed > warmUpDays ? Infinity : capOf(day + passed)
    if (left <= 0) return passed
  }
}

/**
 * Since when those opened or clicked who get marketing first on a day of the plan, epoch milliseconds; null where all get it
 * together.
 */
export const engagedSince = (day: number, now: number): number | null => {
  const found = plan.engaged.find(({ until }) => day <= until)
  return found === undefined ? null : now - found.days * dayMillis
}

/** The most messages to a bucket in a day, in an hour of it and in a minute. */
export interface ShareLimits {
  readonly day: number
  readonly hour: number
  readonly minute: number
}

/** What a message to a lane counts in, and the limits there on a day of the plan. */
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

/** The limits of so many messages a day. */
export const limitsOf = (cap: number): ShareLimits => {
  const hour = Math.max(1, Math.floor(cap * hourShare))
  return { day: cap, hour, minute: Math.max(1, Math.floor(hour * minuteShare)) }
}

/** Counts with others. */
export const added = (counts: SourceCounts, more: Partial<SourceCounts>): SourceCounts =>
  Object.fromEntries(sourceCounts.map((name) => [name, counts[name] + (more[name] ?? 0)])) as SourceCounts

/** What a process has to report of a bucket, and what it asks for. */
export interface ShareRequest {
  readonly limits: ShareLimits
  /** How many messages ask for a share. */
  readonly wanted: number
  /** Of the share that it took in a minute, the messages it did not send. */
  readonly unused: { readonly minute: number; readonly count: number } | null
  /** Messages that were sent without a share: transactional ones. */
  readonly beyond: number
  readonly counts: Partial<SourceCounts>
}

/** What a process gets. */
export interface ShareGrant {
  readonly row: SourceDay
  readonly granted: number
  /** When there may be more, epoch milliseconds. */
  readonly nextAt: number
}

/** The minute of a time, since the epoch. */
export const minuteOf = (at: number): number => Math.floor(at / minuteMillis)

/** A bucket after a process reported and asked: it gets what the day, its hour and its minute have left. */
export const afterRequest = (row: SourceDay, request: ShareRequest, now: number): ShareGrant => {
  const { beyond, counts, limits, unused, wanted } = request
  const back = unused?.count ?? 0
  // Clocks of processes differ by seconds: time does not go back.
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
  // Where a day is used up its end counts, not that of the hour.
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

/** The part of a day's messages to one group of which a day counts. */
const countsFrom = 1 / 4
/** The parts of a day's messages from which on it is repeated. */
const bounds: Readonly<Partial<Record<keyof SourceCounts, number>>> = {
  policy: 0.01,
  deferred: 0.05,
  bounced: 0.02,
  complained: 0.001
}
/** How many days back a block moves the plan. */
const daysBack = 3
/** After how many days with fewer messages a source has lost its reputation, and the part of the plan that is left. */
export const quietDays = 30
const quietMessages = 100
const quietShare = 1 / 3

/** The beginning of a warm-up. */
export const warmUpFrom = (day: number, now: number): WarmUp => ({
  day,
  on: dayOf(now),
  startedAt: now,
  movedBackAt: null
})

const sumOf = (days: ReadonlyArray<SourceDay>): SourceCounts => days.reduce<SourceCounts>(added, noCounts)

/** Whether a day of a warm-up counts: enough was sent to one group, and it was taken well. */
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
 * The warm-up once the day has ended whose counts decide; null once all of its days have counted.
 *
 * @param days what was sent to groups within `quietDays` days
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

/** The warm-up after a provider blocked the source, at a time; blocks of one day count once. */
export const afterBlock = (warmUp: WarmUp, at: number): WarmUp =>
  warmUp.movedBackAt !== null && dayOf(warmUp.movedBackAt) >= dayOf(at)
    ? warmUp
    : { ...warmUp, day: Math.max(1, warmUp.day - daysBack), movedBackAt: at }
