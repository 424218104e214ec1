/**
 * Judges the rates of an account: pure functions over its buckets and observations.
 *
 * Sources of the thresholds: for complaints, the Google email sender guidelines (below 0.10 %, never 0.30 %), Yahoo Sender Hub
 * (0.3 %) and Amazon SES (review at 0.1 %, pause at 0.5 %); for hard bounces, Amazon SES (review at 5 %, pause at 10 %; advice
 * 2 %).
 *
 * @module
 */
import {
  type Bucket,
  type BucketCounts,
  type Observation,
  otherProvider,
  type RateKind,
  type Standing,
  type StandingReason,
  type StandingState
} from "../../model/Standing.ts"

const hourMillis = 3_600_000
const dayMillis = 24 * hourMillis

/** A threshold of a rate. */
interface Threshold {
  readonly notice: number
  readonly held: number
  /** The minimum number of counted messages (`part`), and of the messages of which they are a part (`whole`). */
  readonly least: readonly [part: number, whole: number]
}

/** The thresholds over seven days. */
export const thresholds: Readonly<Record<RateKind, Threshold>> = {
  complaints: { notice: 0.001, held: 0.003, least: [5, 1_000] },
  observed: { notice: 0.001, held: 0.003, least: [0, 0] },
  bounces: { notice: 0.02, held: 0.05, least: [20, 500] },
  policy: { notice: 0.01, held: 0.1, least: [20, 200] }
}

/** The rate of hard bounces over 24 hours that holds marketing. */
const heldBouncesOfDay = 0.1

/** The facts on which a standing is decided. */
export interface StandingFacts {
  /** The buckets of the last seven days and of the last 24 hours, from `since` on. */
  readonly days: ReadonlyArray<Bucket>
  readonly hours: ReadonlyArray<Bucket>
  readonly observations: ReadonlyArray<Observation>
  /** The providers that report complaints. */
  readonly reporters: ReadonlySet<string>
}

/** The sum of a counter. */
export const sumOf = (buckets: ReadonlyArray<BucketCounts>, name: keyof BucketCounts): number =>
  buckets.reduce((sum, bucket) => sum + bucket[name], 0)

/** The start of the UTC day `days - 1` days before a time: today counts as one. */
export const startOfDays = (days: number, now: number): number =>
  (Math.floor(now / dayMillis) - (days - 1)) * dayMillis

/** The start of the hour that began 23 hours before the current one. */
export const startOfHours = (now: number): number => (Math.floor(now / hourMillis) - 23) * hourMillis

const reasonOf = (
  rate: RateKind,
  provider: string | null,
  [part, whole]: readonly [number, number]
): ReadonlyArray<StandingReason> => {
  const { held, least, notice } = thresholds[rate]
  if (whole === 0 || part < least[0] || whole < least[1]) return []
  const value = part / whole
  if (value < notice) return []
  const isHeld = value >= held
  return [
    { rate, provider, days: 7, value, state: isHeld ? "Held" : "Notice", threshold: isHeld ? held : notice }
  ]
}

/** The rates at or above a threshold. */
export const reasonsOf = ({
  days,
  hours,
  observations,
  reporters
}: StandingFacts): ReadonlyArray<StandingReason> => {
  const byProvider = Map.groupBy(days, ({ provider }) => provider)
  // Providers that report no complaints would lower the rate of everyone.
  const reporting = days.filter(({ provider }) => reporters.has(provider))
  const bouncesOfDay = sumOf(hours, "bounced")
  const handedOfDay = sumOf(hours, "handed")
  const [leastBounces, leastHanded] = thresholds.bounces.least
  const highest = Map.groupBy(observations, ({ provider }) => provider)
  return [
    ...reasonOf("complaints", null, [sumOf(reporting, "complained"), sumOf(reporting, "delivered")]),
    ...[...highest].flatMap(([provider, given]) =>
      reasonOf("observed", provider, [Math.max(...given.map(({ spamRate }) => spamRate)), 1])
    ),
    ...reasonOf("bounces", null, [sumOf(days, "bounced"), sumOf(days, "handed")]),
    ...(bouncesOfDay >= leastBounces &&
    handedOfDay >= leastHanded &&
    bouncesOfDay >= heldBouncesOfDay * handedOfDay
      ? [
          {
            rate: "bounces",
            provider: null,
            days: 1,
            value: bouncesOfDay / handedOfDay,
            state: "Held",
            threshold: heldBouncesOfDay
          } as const
        ]
      : []),
    ...[...byProvider].flatMap(([provider, buckets]) =>
      reasonOf("policy", provider, [sumOf(buckets, "policy"), sumOf(buckets, "handed")])
    )
  ]
}

/** Whether a reason holds all marketing. A rejection by one provider's policy does not hold mail to others. */
const holdsAll = ({ rate, state }: StandingReason): boolean => state === "Held" && rate !== "policy"

/** The providers to which an account's marketing waits, because they reject it by their policy. */
export const providersHeld = ({ reasons }: Pick<Standing, "reasons">): ReadonlySet<string> =>
  new Set(
    reasons.flatMap(({ provider, rate, state }) =>
      rate === "policy" && state === "Held" && provider !== null && provider !== otherProvider
        ? [provider]
        : []
    )
  )

/** Returns a reason as a notice, which holds nothing. */
const onlyNoticed = (reason: StandingReason): StandingReason => ({
  ...reason,
  state: "Notice",
  threshold: thresholds[reason.rate].notice
})

/** How long a hold that is due only to bounces lasts, milliseconds. By its end, the addresses that bounced are suppressed. */
export const bounceHoldMillis = 7 * dayMillis

/** The standing of an account after reasons were found. A hold remains until it is lifted or ends. */
export const standingAfter = (
  before: Standing,
  reasons: ReadonlyArray<StandingReason>,
  mayHold: boolean,
  now: number
): Standing => {
  const holding = mayHold ? reasons.filter(holdsAll) : []
  if (before.state === "Held") {
    const isOver = !mayHold || (before.heldUntil !== null && before.heldUntil <= now)
    if (isOver) return { ...before, state: "Good", reasons: [], heldAt: null, heldUntil: null, liftedAt: now }
    // There were more complaints meanwhile, so the hold does not end automatically.
    const stays = holding.some(({ rate }) => rate !== "bounces")
    return stays && before.heldUntil !== null ? { ...before, reasons, heldUntil: null } : before
  }
  if (holding.length > 0) {
    const endsAlone = holding.every(({ rate }) => rate === "bounces")
    return {
      ...before,
      state: "Held",
      reasons,
      heldAt: now,
      heldUntil: endsAlone ? now + bounceHoldMillis : null
    }
  }
  const state: StandingState = reasons.length > 0 ? "Notice" : "Good"
  return { ...before, state, reasons: mayHold ? reasons : reasons.map(onlyNoticed) }
}

/** The time from which counts are judged, epoch milliseconds. Counts from before the end of the last hold do not count. */
export const judgedSince = ({ liftedAt }: Pick<Standing, "liftedAt">, now: number) => {
  const from = liftedAt ?? 0
  return {
    days: Math.max(startOfDays(7, now), Math.ceil(from / dayMillis) * dayMillis),
    hours: Math.max(startOfHours(now), Math.ceil(from / hourMillis) * hourMillis)
  }
}

/**
 * The number of days for which marketing increases slowly after a hold, and its maximum on the first day. The maximum doubles
 * each day.
 */
export const rampDays = 5
export const rampStart = 1_000

/** The day after a hold, its limit of marketing, and when the next day begins; null once there is no limit. */
export const rampOf = (liftedAt: number | null, now: number) => {
  if (liftedAt === null) return null
  // Day 0 at the earliest, even if a clock was set back.
  const day = Math.max(0, Math.floor((now - liftedAt) / dayMillis))
  return day < rampDays ? { day, limit: rampStart * 2 ** day, next: liftedAt + (day + 1) * dayMillis } : null
}

/** How long marketing waits for the end of a hold at most, milliseconds. */
export const maxHeldMillis = 72 * hourMillis
